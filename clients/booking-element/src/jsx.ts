/** The functions that the bundler calls for JSX. */
export { Fragment, h } from 'preact';
