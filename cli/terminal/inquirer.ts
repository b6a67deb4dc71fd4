/*
 * The questions of Inquirer. The build bundles this file with its packages (build.cjs): they are 60 small ES modules, and Node takes 0.1 s to
 * find and read them.
 */
export { checkbox, confirm, input, password, search, select, Separator } from '@inquirer/prompts';
