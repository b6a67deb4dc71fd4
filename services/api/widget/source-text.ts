/** A script or a style sheet as it is sent: without the blanks and the comments that only its readers here need. */
export function withoutIndentation(source: string): string {
  return source.replace(/^\s*\/\/.*$/gm, '').replace(/\s*\n\s*/g, '\n');
}
