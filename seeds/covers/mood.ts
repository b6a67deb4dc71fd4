/** The colours of a picture: light of a time of day, from the sky's zenith to the nearest dark shape. */
export interface Palette {
  sky: [zenith: string, middle: string, horizon: string];
  sun: string;
  far: string;
  near: string;
  water: string;
  /** Silhouettes in the foreground. */
  dark: string;
  /** Small things that catch the eye: a sail, a roof, a blossom. */
  accent: string;
  light: string;
  stars: boolean;
}

export type Mood =
  | 'dawn'
  | 'noon'
  | 'golden'
  | 'dusk'
  | 'night'
  | 'mint'
  | 'rose'
  | 'polar'
  | 'harvest'
  | 'terracotta'
  | 'tropic'
  | 'sage';

export const moods: Record<Mood, Palette> = {
  dawn: {
    sky: ['#7fa3c4', '#f2c9ad', '#fdebcf'],
    sun: '#fff6e0',
    far: '#c3b0bd',
    near: '#33476b',
    water: '#5f7f9e',
    dark: '#1e2c49',
    accent: '#d9534a',
    light: '#fff3df',
    stars: false,
  },
  noon: {
    sky: ['#4ea6d3', '#a9dae6', '#f2f4e1'],
    sun: '#fffbe3',
    far: '#9dc8cb',
    near: '#2c7468',
    water: '#2d93ac',
    dark: '#164640',
    accent: '#ee7a4d',
    light: '#fffdf2',
    stars: false,
  },
  golden: {
    sky: ['#ec9a58', '#f8c983', '#fdebc0'],
    sun: '#fff5d2',
    far: '#e2a974',
    near: '#7d3c30',
    water: '#c9744b',
    dark: '#462026',
    accent: '#fbe3a6',
    light: '#fff0cf',
    stars: false,
  },
  dusk: {
    sky: ['#342f66', '#b55c86', '#f9ab7d'],
    sun: '#ffe2b0',
    far: '#a66790',
    near: '#2a2050',
    water: '#5d3f7c',
    dark: '#181338',
    accent: '#ffb45e',
    light: '#ffe7c9',
    stars: true,
  },
  night: {
    sky: ['#0b1736', '#1e4168', '#5c93a6'],
    sun: '#f6f2dd',
    far: '#3d6b88',
    near: '#0d1d3c',
    water: '#153459',
    dark: '#081126',
    accent: '#f6b352',
    light: '#f3efdc',
    stars: true,
  },
  mint: {
    sky: ['#7fc6bb', '#cdebd6', '#fcf5da'],
    sun: '#fffae0',
    far: '#a3d0b8',
    near: '#1f6454',
    water: '#3f9c97',
    dark: '#103f3b',
    accent: '#f08a5d',
    light: '#fffbea',
    stars: false,
  },
  rose: {
    sky: ['#d97f8c', '#f5bda9', '#fdeedb'],
    sun: '#fff4e2',
    far: '#dda29f',
    near: '#6b3052',
    water: '#a8627d',
    dark: '#3b183a',
    accent: '#fbd28b',
    light: '#fff1e3',
    stars: false,
  },
  polar: {
    sky: ['#8fc0de', '#d3e8f0', '#faf7ec'],
    sun: '#ffffff',
    far: '#bfd8e4',
    near: '#3f7298',
    water: '#4a89ad',
    dark: '#1d4163',
    accent: '#e4574c',
    light: '#ffffff',
    stars: false,
  },
  harvest: {
    sky: ['#f0b27a', '#f9dcae', '#fef4d9'],
    sun: '#fffaea',
    far: '#cdbf93',
    near: '#4d6a39',
    water: '#7fa3a0',
    dark: '#22351f',
    accent: '#c8452f',
    light: '#fff8e6',
    stars: false,
  },
  terracotta: {
    sky: ['#4f9fb0', '#b7dad2', '#fbeed3'],
    sun: '#fffae3',
    far: '#e6b894',
    near: '#a3402c',
    water: '#4a97a3',
    dark: '#4b1a1f',
    accent: '#f2b04a',
    light: '#fff5e2',
    stars: false,
  },
  tropic: {
    sky: ['#2fa7b8', '#9be0d3', '#fff0cf'],
    sun: '#fffbe0',
    far: '#94cfae',
    near: '#1f7a4e',
    water: '#15a3a6',
    dark: '#0d3f33',
    accent: '#ff6f59',
    light: '#fffcec',
    stars: false,
  },
  sage: {
    sky: ['#a9b8b0', '#dcdfca', '#f8f0da'],
    sun: '#fffdf0',
    far: '#b9c4ae',
    near: '#3f5e4c',
    water: '#7c9c94',
    dark: '#20342d',
    accent: '#c65a3a',
    light: '#fffaf0',
    stars: false,
  },
};

/** A colour between two `#rrggbb` ones; `share` 0 is the first. */
export function mix(first: string, second: string, share: number): string {
  const channel = (at: number) => {
    const a = parseInt(first.slice(at, at + 2), 16);
    const b = parseInt(second.slice(at, at + 2), 16);
    return Math.round(a + (b - a) * share)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}
