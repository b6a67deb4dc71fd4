import type { Page } from 'playwright-core';

/** A text of the element with its contrast to what is behind it, as WCAG 2.2 measures it: axe leaves out what cannot be clicked now. */
export interface Contrast {
  text: string;
  ratio: number;
}

/** Runs in the page. The canvas reads colours in any notation. */
const MEASURE = `(selector) => {
  const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const channels = (color) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (color) => {
    const [red, green, blue] = channels(color).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgroundOf = (element) => {
    const { backgroundColor } = getComputedStyle(element);
    return channels(backgroundColor)[3] === 255 ? backgroundColor : backgroundOf(element.parentElement);
  };
  const hasText = ({ childNodes }) => [...childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const { shadowRoot } = document.querySelector('tour-booking');
  return [...shadowRoot.querySelectorAll(selector)]
    .flatMap((element) => [element, ...element.querySelectorAll('*')])
    .filter((element) => hasText(element) && element.checkVisibility() && !element.matches('.visually-hidden'))
    .map((element) => {
      const [dark, light] = [luminance(getComputedStyle(element).color), luminance(backgroundOf(element))].sort((a, b) => a - b);
      return { text: element.textContent, ratio: (light + 0.05) / (dark + 0.05) };
    });
}`;

/** Measures the visible texts in the elements of a selector in the shadow tree of the element. */
export function contrastsOf(page: Page, selector: string): Promise<Contrast[]> {
  return page.evaluate<Contrast[]>(`(${MEASURE})(${JSON.stringify(selector)})`);
}
