import type { Lang } from './languages.ts';
import type { T, Vars } from './messages.ts';
import type { Text } from './texts.ts';
import { translationsFor, type KeysOf, type Namespace } from './translations.server.ts';

/** Names a text of a feature's own namespace: `text('notes', 'inbox')`. */
export const text = <N extends Namespace>(namespace: N, key: KeysOf<N>): Text => ({ namespace, key });

export const translate = (lang: Lang, { namespace, key }: Text, vars?: Vars): string =>
  (translationsFor(lang, namespace as Namespace) as T<string>)(key, vars);
