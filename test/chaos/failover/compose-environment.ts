import { documentsOf } from '../../stack/docker-files';

const { services } = documentsOf('compose.ha.yaml')[0];

/**
 * Returns the environment that compose.ha.yaml gives a service.
 * @param variables values of docker/.env; a variable that is missing here has the default of the file
 * @param addresses replacements of the addresses inside the compose network, such as `etcd-1:2379`
 * @throws Error for a variable without a value and without a default
 */
export function composeEnvironment(
  service: string,
  variables: Record<string, string>,
  addresses: Record<string, string>,
): Record<string, string> {
  const filled = (value: string): string =>
    value.replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name: string, kind: string, text: string) => {
      const given = variables[name];
      if (given === undefined && kind === '?') throw new Error(`${service} needs a value of ${name}`);
      return given ?? text;
    });
  const moved = (value: string): string =>
    Object.entries(addresses).reduce((result, [from, to]) => result.replaceAll(from, to), value);
  const environment: Record<string, unknown> = services[service].environment;
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, moved(filled(String(value)))]),
  );
}
