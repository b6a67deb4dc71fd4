import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Gives the focus to an element when it appears, so that keyboards and screen readers go on there. */
export function useFocusAtStart<T extends HTMLElement>(takesFocus: boolean) {
  const start = useRef<T>(null);
  useEffect(() => {
    if (takesFocus) start.current?.focus();
  }, []);
  return start;
}

/** The heading of a stage. */
export function Heading({ takesFocus, children }: { takesFocus: boolean; children: ComponentChildren }) {
  const heading = useFocusAtStart<HTMLHeadingElement>(takesFocus);
  return (
    <h2 ref={heading} tabIndex={-1}>
      {children}
    </h2>
  );
}

interface ButtonProps {
  /** Submits the form if absent. */
  onClick?: () => void;
  isSecondary?: boolean;
  /** The button does nothing now, and keeps the focus. */
  isOff?: boolean;
  children: ComponentChildren;
}

/** Ignores the second click of a double one: by then the button may be another one, in the place of the clicked one. */
export function Button({ onClick, isSecondary, isOff, children }: ButtonProps) {
  return (
    <button
      part="button"
      class={isSecondary ? 'button secondary' : 'button'}
      type={onClick ? 'button' : 'submit'}
      aria-disabled={isOff}
      onClick={(event) => {
        if (isOff || event.detail > 1) event.preventDefault();
        else onClick?.();
      }}
    >
      {children}
    </button>
  );
}

interface IconButtonProps {
  /** The class of the sign in the style sheet. */
  sign: 'minus' | 'plus' | 'previous' | 'next';
  name: string;
  /** False: the button does nothing now. It stays focusable, so that the focus is not lost at a limit. */
  onClick: (() => void) | false;
}

export function IconButton({ sign, name, onClick }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`icon ${sign}`}
      aria-label={name}
      aria-disabled={!onClick}
      onClick={onClick || undefined}
    />
  );
}
