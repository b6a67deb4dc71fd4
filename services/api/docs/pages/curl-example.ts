import type { Operation, Parameter } from '../openapi-document';

/** A request of this operation with the document's examples, to paste once $KEY or $TOKEN is set. */
export function curlExample(baseUrl: string, path: string, method: string, operation: Operation): string {
  const { parameters, security, requestBody } = operation;
  const lines = [method === 'get' ? 'curl -sS' : `curl -sS -X ${method.toUpperCase()}`];
  const byToken = security.some((scheme) => 'widgetToken' in scheme);
  if (security.length > 0 && !byToken) lines.push(`-H "Authorization: Bearer $KEY"`);
  for (const { in: place, name, example } of parameters) {
    if (place === 'header') lines.push(`-H '${name}: ${String(example)}'`);
  }
  const body = requestBody?.content['application/json']?.example;
  if (body) lines.push(`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body)}'`);
  lines.push(`"${baseUrl}${filledPath(path, parameters)}${query(parameters, byToken)}"`);
  return lines.join(' \\\n  ');
}

function filledPath(path: string, parameters: Parameter[]): string {
  return path.replace(/\{(\w+)\}/g, (_, name) =>
    String(parameters.find((one) => one.name === name)!.example),
  );
}

function query(parameters: Parameter[], byToken: boolean): string {
  const required = parameters.filter((one) => one.in === 'query' && one.required);
  const pairs = required.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
  if (byToken) pairs.unshift('token=$TOKEN');
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}
