import { hash, HEIGHT, randomFrom, WIDTH, type Canvas } from './canvas';
import { canyon } from './canyon-scenes';
import { city } from './city-scenes';
import { desert, salt } from './desert-scenes';
import { jungle, mountains, volcano } from './forest-scenes';
import { fishing, ice, lake } from './lake-scenes';
import { moods, type Mood } from './mood';
import { savanna, vineyard } from './plain-scenes';
import { coast, islands, karst, village } from './sea-scenes';
import { temple } from './temple-scenes';

export type Scene = keyof typeof scenes;

const scenes = {
  canyon: { draw: canyon, moods: ['terracotta', 'golden', 'rose'] },
  city: { draw: city, moods: ['dusk', 'night', 'rose'] },
  coast: { draw: coast, moods: ['noon', 'dawn', 'sage', 'tropic'] },
  desert: { draw: desert, moods: ['golden', 'rose', 'terracotta'] },
  fishing: { draw: fishing, moods: ['night', 'polar'] },
  ice: { draw: ice, moods: ['polar', 'dawn', 'night'] },
  islands: { draw: islands, moods: ['tropic', 'noon', 'dusk', 'mint'] },
  jungle: { draw: jungle, moods: ['tropic', 'mint', 'sage'] },
  karst: { draw: karst, moods: ['dawn', 'sage', 'dusk', 'mint'] },
  lake: { draw: lake, moods: ['noon', 'sage', 'polar', 'dawn'] },
  mountains: { draw: mountains, moods: ['polar', 'dawn', 'rose', 'sage'] },
  salt: { draw: salt, moods: ['rose', 'dawn', 'polar'] },
  savanna: { draw: savanna, moods: ['golden', 'dusk', 'rose'] },
  temple: { draw: temple, moods: ['rose', 'harvest', 'dusk'] },
  village: { draw: village, moods: ['noon', 'dawn', 'rose'] },
  vineyard: { draw: vineyard, moods: ['harvest', 'golden', 'sage'] },
  volcano: { draw: volcano, moods: ['rose', 'noon', 'terracotta'] },
} satisfies Record<string, { draw: (canvas: Canvas) => string; moods: Mood[] }>;

/** An SVG document; the same seed draws the same picture, and every other seed looks the other way. */
export function drawScene(seed: string, scene: Scene, choice: { mood?: Mood; motif?: string }): string {
  const number = hash(seed);
  const suited: Mood[] = scenes[scene].moods;
  const mood = choice.mood ?? suited[number % suited.length] ?? 'noon';
  const canvas = { palette: moods[mood], motif: choice.motif ?? '', random: randomFrom(number) };
  const drawing = scenes[scene].draw(canvas);
  const turned = number & 16 ? `<g transform="matrix(-1 0 0 1 ${WIDTH} 0)">${drawing}</g>` : drawing;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}">${turned}</svg>`;
}
