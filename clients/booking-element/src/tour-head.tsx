import { useState } from 'preact/hooks';
import { useSpeech } from './speech.ts';
import type { Tour } from './wire.ts';

/** Shows the picture of the tour, its name and its duration. Without the picture, if the page's policy or the network refuses it. */
export function TourHead({ tour: { name, image_url, duration_days } }: { tour: Tour }) {
  const { formats } = useSpeech();
  const [refused, setRefused] = useState<string>();
  return (
    <header part="tour" class="tour">
      {image_url && image_url !== refused && (
        <img part="picture" src={image_url} alt="" onError={() => setRefused(image_url)} />
      )}
      <div>
        <h2>{name}</h2>
        <p class="detail">{formats.duration(`${duration_days}d`)}</p>
      </div>
    </header>
  );
}
