import type { OpenApiOperation, Parameter } from '../openapi-document';

/** A call with the document's examples as its values. */
interface SampledCall {
  baseUrl: string;
  path: string;
  method: string;
  operation: OpenApiOperation;
}

/** A longer body has a line for each field. */
const INLINE_BODY_MAX = 40;

/** Returns a command to paste into a shell, with the address first. It needs the variable KEY or TOKEN. */
export function curlSample(call: SampledCall): string {
  const { baseUrl, method, operation } = call;
  const lines = [method === 'get' ? 'curl -sS' : `curl -sS -X ${method.toUpperCase()}`];
  lines.push(`"${baseUrl}${target(call, '$TOKEN')}"`);
  if (takesKey(operation)) lines.push(`-H "Authorization: Bearer $KEY"`);
  for (const [name, value] of headersOf(operation)) lines.push(`-H '${name}: ${value}'`);
  const body = bodyOf(operation);
  const line = JSON.stringify(body);
  if (body)
    lines.push(`-d '${line.length > INLINE_BODY_MAX ? indented(JSON.stringify(body, null, 2)) : line}'`);
  return lines.join(' \\\n  ');
}

/** Returns a module for Node that needs no package. It needs KEY or TOKEN in its environment. */
export function nodeSample(call: SampledCall): string {
  const { baseUrl, method, operation } = call;
  const body = bodyOf(operation);
  const headers = headersOf(operation).map(([name, value]) => `    ${quoted(name)}: ${quoted(value)},\n`);
  if (takesKey(operation)) headers.unshift('    Authorization: `Bearer ${process.env.KEY}`,\n');
  const settings = [
    ...(method === 'get' ? [] : [`  method: '${method.toUpperCase()}',\n`]),
    ...(headers.length > 0 ? [`  headers: {\n${headers.join('')}  },\n`] : []),
    ...(body ? [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),\n`] : []),
  ];
  const url = `\`${baseUrl}${target(call, '${process.env.TOKEN}')}\``;
  return [
    `const answer = await fetch(${url}${settings.length > 0 ? `, {\n${settings.join('')}}` : ''});`,
    'if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);',
    `console.log(await answer.${answersJson(operation) ? 'json' : 'text'}());`,
  ].join('\n');
}

function takesKey({ security }: OpenApiOperation): boolean {
  return security.length > 0 && !takesToken(security);
}

function takesToken(security: OpenApiOperation['security']): boolean {
  return security.some((scheme) => 'widgetToken' in scheme);
}

function headersOf({ parameters, requestBody }: OpenApiOperation): [name: string, value: string][] {
  const given = parameters.filter(({ in: place }) => place === 'header');
  const headers = given.map(({ name, example }): [string, string] => [name, String(example)]);
  return requestBody ? [...headers, ['Content-Type', 'application/json']] : headers;
}

function bodyOf({ requestBody }: OpenApiOperation): unknown {
  return requestBody?.content['application/json']?.example;
}

function answersJson({ responses }: OpenApiOperation): boolean {
  const success = Object.entries(responses).find(([status]) => Number(status) < 300);
  return success?.[1].content?.['application/json'] !== undefined;
}

/** @param token the expression with which the language of the sample reads the widget token */
function target({ path, operation: { parameters, security } }: SampledCall, token: string): string {
  const required = parameters.filter((one) => one.in === 'query' && one.required);
  const pairs = required.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
  if (takesToken(security)) pairs.unshift(`token=${token}`);
  return `${filledPath(path, parameters)}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`;
}

function filledPath(path: string, parameters: Parameter[]): string {
  return path.replace(/\{(\w+)\}/g, (_, name) =>
    String(parameters.find((one) => one.name === name)!.example),
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`;
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}
