import type { ClientDirective } from 'astro';

/*
 * The element that Astro renders around an island, with its scripts and its properties as attributes. Its script is
 * inline, before the first island, so that no input is lost while other scripts load.
 */

/** A property as Astro writes it: a list of such, an object of such, or a plain value. */
type Packed = readonly [kind: number, value?: unknown];
type Properties = Record<string, unknown>;
type Renderer = (
  island: HTMLElement,
) => (component: unknown, properties: Properties, slots: object, options: { client: string }) => unknown;

const LIST = 1;

const unpack = ([kind, value]: Packed): unknown => {
  if (kind === LIST) return (value as Packed[]).map(unpack);
  return typeof value === 'object' && value !== null ? unpackAll(value as Record<string, Packed>) : value;
};

const unpackAll = (packed: Record<string, Packed>): Properties =>
  Object.fromEntries(Object.entries(packed).map(([name, value]) => [name, unpack(value)]));

/** The slots of an island: elements where it shows them, or else templates. */
function takeSlots(island: HTMLElement): Record<string, string> {
  const slots: Record<string, string> = {};
  for (const slot of island.querySelectorAll('astro-slot'))
    slots[slot.getAttribute('name') ?? 'default'] = slot.innerHTML;
  for (const template of island.querySelectorAll<HTMLElement>('template[data-astro-template]')) {
    slots[template.dataset['astroTemplate'] || 'default'] = template.innerHTML;
    template.remove();
  }
  return slots;
}

/** Resolves when the page is parsed. */
export const parsed = (): Promise<unknown> =>
  document.readyState === 'loading'
    ? new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }))
    : Promise.resolve();

/** Imports a script, and once more after a failure: under another address, as browsers remember that one failed. */
const importWithRetry = (script: string): Promise<Record<string, unknown>> =>
  import(script).catch(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return (await import(`${script}?${Date.now()}`)) as Record<string, unknown>;
  });

/** Loads the texts that an island has in a file (`islandMessages` in feature.server.ts). */
const loadTexts = (properties: Properties): Promise<unknown> =>
  Promise.all(
    Object.values(properties).map(async (value) => {
      const messages = value as { file?: string; texts?: unknown } | null | undefined;
      if (messages?.file) messages.texts = (await importWithRetry(messages.file))['default'];
    }),
  );

/** Loads the scripts of an island, all at once, and returns what hydrates it. */
async function load(island: HTMLElement): Promise<() => Promise<void>> {
  const attribute = (name: string): string => island.getAttribute(name) ?? '';
  const [script = '', ...imports] = attribute('component-url').split('#');
  for (const file of imports)
    document.head.append(
      Object.assign(document.createElement('link'), { rel: 'modulepreload', href: `/${file}` }),
    );
  const properties = unpackAll(JSON.parse(attribute('props')) as Record<string, Packed>);
  const [component, renderer] = await Promise.all([
    importWithRetry(script),
    importWithRetry(attribute('renderer-url')),
    loadTexts(properties),
    parsed(),
  ]);
  return async () => {
    if (island.lastChild?.nodeValue === 'astro:end') island.lastChild.remove();
    await (renderer['default'] as Renderer)(island)(
      component[attribute('component-export')],
      properties,
      takeSlots(island),
      { client: 'interaction' },
    );
    island.removeAttribute('ssr');
  };
}

/** Defines the element: `start` decides when an island is loaded. */
export function defineIslands(start: ClientDirective): void {
  const started = new WeakSet<HTMLElement>();
  class Island extends HTMLElement {
    connectedCallback(): void {
      if (started.has(this)) return; // it was moved
      started.add(this);
      const options = JSON.parse(this.getAttribute('opts') ?? '{}') as { name: string; value: string };
      start(() => load(this), options, this);
    }
  }
  customElements.define('astro-island', Island);
}
