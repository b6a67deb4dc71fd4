/** The bundler imports a style sheet as its text. */
declare module '*.css' {
  const text: string;
  export { text as default };
}
