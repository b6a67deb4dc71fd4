/** Who looks at the page. Every form carries the token. */
export interface Viewer {
  operator: string;
  csrfToken: string;
}

/** What became of an action, shown once on top of the page that follows it. */
export interface Notice {
  kind: 'done' | 'refused';
  text: string;
}
