import { drawScene } from './covers/scene';
import { demoTours } from './demo-tours/all';

const covers = new Map(demoTours.map(({ slug, cover }) => [slug, cover]));

/** A drawn cover as an SVG document for a tour, made of its slug and landscape; no outside resource. */
export function coverPicture(slug: string): string | undefined {
  const cover = covers.get(slug);
  return cover && drawScene(slug, cover.scene, cover);
}
