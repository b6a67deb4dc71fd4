import { circle, rect, shape, stroke } from './canvas';

/* Each stands on 0,0 and is about a hundred high, or wide where it lies. */

export const pine = 'M0-100L18-64H9L27-35H13L33-6H4V2H-4V-6H-33L-13-35H-27L-9-64H-18Z';

export const cypress = 'M0-100C14-74 13-22 4-4V2H-4V-4C-13-22-14-74 0-100Z';

export const palm =
  'M-5 2C-2-35 6-66 19-92L25-90C13-62 8-32 7 2Z' +
  'M22-92C38-112 64-108 76-84C58-98 42-98 22-92ZM22-92C6-114-22-110-32-86C-14-100 4-100 22-92Z' +
  'M22-92C46-100 62-84 64-58C52-78 40-88 22-92ZM22-92C2-98-16-82-18-56C-6-80 6-88 22-92Z' +
  'M22-92C24-114 42-126 62-122C44-116 34-108 22-92ZM22-92C18-114 0-124-18-118C0-114 12-108 22-92Z';

export const acacia =
  'M-3 2C-1-25-8-40-24-58L-19-61C-8-48-1-42 1-34C4-46 12-56 26-66L30-62C12-50 6-34 6 2Z' +
  'M-66-60C-58-76-34-82-14-78C-6-92 44-92 68-68C50-60 30-64 8-62C-14-58-44-54-66-60Z';

export const elephant =
  'M-50 0L-48-34C-58-64-32-76-6-72C8-82 30-78 37-62C46-54 45-34 44-20C44-9 48-5 54-8L56-3C46 5 37-2 37-16C37-26 36-32 31-36C26-32 22-30 18-30L19 0H5L3-24C-6-20-22-20-32-24L-34 0Z' +
  'M-51-44Q-60-34-57-18L-60-18Q-62-36-54-50Z';

export const giraffe =
  'M-22 0L-23-50C-22-60-8-62 2-64L24-116L22-124L27-119L42-112L40-106L30-107L16-58C14-50 14-44 14-38L15 0H9L6-36H-12L-16 0ZM-24-48Q-32-40-28-26L-31-26Q-36-42-24-54Z';

export const camel =
  'M-40-34C-36-46-25-47-19-45C-13-62-3-62 3-46C13-48 21-46 26-41C34-38 37-48 38-60C39-69 46-74 53-71L64-67L62-62L51-62C49-49 45-35 33-29L31 0H26L24-25H-21L-24 0H-29L-31-24C-33-26-37-22-39-14L-42-16Z';

export const castle =
  'M-90 0V-46H-84V-54H-78V-46H-70V-60H-64V-70H-56V-64H-50V-70H-42V-64H-36V-70H-28V-48H-10V-88H-14V-98H-6V-92H2V-98H10V-92H18V-98H26V-88H22V-40H44V-56H50V-50H56V-56H64V-50H70V-56H76V-28L92 0Z';

export const figure =
  'M-11-24Q-13-56 0-57Q13-56 11-24L7-22L6 2H1L0-20L-1 2H-6L-7-22ZM-9-68a9 9 0 1 1 18 0a9 9 0 1 1-18 0Z';

export const condor =
  'M-100-14C-70-40-40-30-14-8Q0-16 14-8C40-30 70-40 100-14C74-22 50-14 24 6L0 22L-24 6C-50-14-74-22-100-14Z';

export function sailboat(hull: string, sail: string, shade: string): string {
  return (
    shape('M-40-2C-20 2 20 2 42-4L28 14H-28Z', hull) +
    shape('M-3-8V-94L-36-10Z', shade) +
    shape('M2-8V-84C26-56 34-30 36-12Z', sail)
  );
}

export function junk(hull: string, sail: string, batten: string): string {
  const sails =
    'M-54-14L-50-72C-38-78-28-62-26-14ZM-20-14L-14-104C8-108 22-70 22-14ZM28-14L34-80C50-78 58-48 58-18Z';
  return (
    shape(sails, sail) +
    stroke(
      'M-52-32L-28-34M-51-50L-31-52M-18-38L21-38M-17-62L16-62M-15-84L6-86M30-36L56-38M32-56L51-58',
      batten,
      2,
    ) +
    shape('M-70-18L-62-8H52L76-24C72-8 66 4 58 12H-56C-64 4-70-8-70-18Z', hull)
  );
}

export function felucca(hull: string, sail: string): string {
  return (
    stroke('M-6-2V-58', hull, 4) +
    shape('M-34-10L22-122C36-80 36-40 28-8Z', sail) +
    shape('M-56-8C-30 0 24 0 52-12L36 12H-38Z', hull)
  );
}

export function rowboat(hull: string, trim: string): string {
  return shape('M-44-8C-20-2 20-2 44-8L30 10H-30Z', hull) + stroke('M-43-8C-20-2 20-2 43-8', trim, 3);
}

export function lighthouse(wall: string, stripe: string, lamp: string): string {
  return (
    shape('M-15 0L-10-84H10L15 0Z', wall) +
    shape('M-14-18L-13-36H13L14-18ZM-12-54L-11-70H11L12-54Z', stripe) +
    rect(-14, -88, 28, 5, stripe) +
    rect(-7, -100, 14, 12, lamp) +
    shape('M-11-100L0-112L11-100Z', stripe)
  );
}

/** Five roofs, each smaller than the one below. */
export function pagoda(wall: string, roof: string): string {
  const tiers = [0, 1, 2, 3, 4].map((tier) => {
    const w = 46 - tier * 6;
    const y = -10 - tier * 19;
    const eaves = `M${-w} ${y - 3}Q${-w * 0.7} ${y - 5} ${-w * 0.4} ${y - 14}H${w * 0.4}Q${w * 0.7} ${y - 5} ${w} ${y - 3}Q${w * 0.6} ${y + 1} ${w * 0.5} ${y}H${-w * 0.5}Q${-w * 0.6} ${y + 1} ${-w} ${y - 3}Z`;
    return rect(-w * 0.45, y, w * 0.9, 12, wall) + shape(eaves, roof);
  });
  return rect(-34, -2, 68, 6, roof) + tiers.join('') + stroke('M0-98V-124M-4-104H4M-3-110H3', roof, 2);
}

/** A Lao temple hall: three roofs that sweep almost to the ground. */
export function sim(wall: string, roof: string, gold: string): string {
  return (
    rect(-40, -26, 80, 28, wall) +
    shape('M-78-14Q-34-28 0-92Q34-28 78-14Q50-16 44-20H-44Q-50-16-78-14Z', roof) +
    shape('M-58-44Q-22-56 0-100Q22-56 58-44Q34-46 28-48H-28Q-34-46-58-44Z', roof) +
    stroke('M-78-14Q-34-28 0-92Q34-28 78-14M-58-44Q-22-56 0-100Q22-56 58-44M0-100V-112', gold, 3) +
    shape('M-8 2V-18Q0-28 8-18V2Z', gold)
  );
}

export function cabin(wall: string, roof: string, trim: string): string {
  return (
    rect(-32, -34, 64, 36, wall) +
    shape('M-40-32L-22-60H22L40-32Z', roof) +
    rect(-20, -24, 12, 12, trim) +
    rect(8, -24, 12, 12, trim)
  );
}

export function church(wall: string, roof: string): string {
  return (
    rect(-30, -28, 46, 28, wall) +
    shape('M-34-27L-24-46H16V-27Z', roof) +
    rect(8, -58, 16, 58, wall) +
    shape('M4-57L16-102L28-57Z', roof)
  );
}

/** Cubes and domes of an island village. */
export function domes(wall: string, shade: string, dome: string, door: string): string {
  return (
    rect(-70, -46, 60, 60, wall) +
    rect(-26, -46, 16, 60, shade) +
    shape('M-62-46a22 24 0 0 1 44 0Z', dome) +
    rect(-10, -78, 54, 92, wall) +
    rect(30, -78, 14, 92, shade) +
    rect(44, -34, 60, 48, wall) +
    rect(88, -34, 16, 48, shade) +
    shape('M52-34a18 20 0 0 1 36 0Z', dome) +
    shape('M4 14V-22a10 10 0 0 1 20 0V14ZM-48 14V-10h14V14ZM62 14V-8h12V14Z', door) +
    stroke('M-40-70V-80M-44-76H-36', dome, 2)
  );
}

export function lantern(x: number, y: number, size: number, body: string, cap: string): string {
  const half = size * 0.55;
  return (
    stroke(`M${x} 0V${y}`, cap, 2) +
    circle(x, y + size / 2, size * 1.1, 'url(#g)', 'opacity=".6"') +
    `<ellipse cx="${x}" cy="${y + size / 2}" rx="${half}" ry="${size / 2}" fill="${body}"/>` +
    rect(x - half / 2, y - 2, half, 5, cap) +
    rect(x - half / 2, y + size - 3, half, 5, cap)
  );
}
