import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** The heading of a stage. Takes the focus when the stage begins, so that keyboards and screen readers go on there. */
export function Heading({ takesFocus, children }: { takesFocus: boolean; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, []);
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
  /** The id of the text that says why the button does nothing. */
  describedBy?: string;
  children: ComponentChildren;
}

export function Button({ onClick, isSecondary, isOff, describedBy, children }: ButtonProps) {
  return (
    <button
      part="button"
      class={isSecondary ? 'button secondary' : 'button'}
      type={onClick ? 'button' : 'submit'}
      aria-disabled={isOff}
      aria-describedby={describedBy}
      onClick={() => !isOff && onClick?.()}
    >
      {children}
    </button>
  );
}
