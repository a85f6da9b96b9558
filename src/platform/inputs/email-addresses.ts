import { plainAddress, plainSeparators } from './email-address.ts';

/** An address with the name that stood before it, or an empty one. */
export interface NamedAddress {
  emailAddress: string;
  name: string;
}

/** The longest name of an address. */
export const MAX_ADDRESS_NAME = 120;

interface AddressList {
  addresses: string[];
  /** The same with their names. */
  named: NamedAddress[];
  wrong: string[];
}

/**
 * Reads a list of addresses as it was typed, or pasted from a mail program, which separates them by commas,
 * semicolons, spaces or lines and may put names before them: each address once, and what is none separately.
 */
export function readEmailAddresses(list: string): AddressList {
  const found = new Map<string, NamedAddress>();
  const wrong = new Map<string, string>();
  const add = (text: string, name = ''): void => {
    const address = plainAddress(text);
    if (address === undefined) return void wrong.set(text.toLowerCase(), text);
    const known = found.get(address.toLowerCase());
    if (!known) found.set(address.toLowerCase(), { emailAddress: address, name });
    else if (known.name === '') known.name = name;
  };
  const addAll = (tokens: readonly Token[]): void => {
    for (const { kind, text } of tokens) if (kind !== 'comma' && kind !== 'break') add(text);
  };
  let words: Token[] = [];
  for (const token of tokensOf(list)) {
    if (token.kind !== 'bracketed') {
      words.push(token);
      continue;
    }
    // its name may have commas, but neither other separators nor addresses
    const name = words.findLastIndex(({ kind }) => kind === 'address' || kind === 'break') + 1;
    addAll(words.slice(0, name));
    add(token.text, nameIn(words.slice(name)));
    words = [];
  }
  addAll(words);
  const named = [...found.values()];
  return { addresses: named.map(({ emailAddress }) => emailAddress), named, wrong: [...wrong.values()] };
}

/** The name that words and commas make; none for what is an address again. */
function nameIn(tokens: readonly Token[]): string {
  const text = tokens
    .map((token) => (token.kind === 'comma' ? ',' : ` ${token.text}`))
    .join('')
    .replace(/^[,\s]+|[,\s]+$/g, '');
  return text.includes('@') || text.length > MAX_ADDRESS_NAME ? '' : text;
}

interface Token {
  kind: 'word' | 'address' | 'bracketed' | 'comma' | 'break';
  text: string;
}

// the quoted text of a name, or what looks like the quoted mailbox of an address
const TOKEN = /<([^<>]*)>|("[^"]*"(?:@[^\s,;<>]*)?)|([^\s,;<>"]+)|([,;\n])/g;

/** Names, addresses and separators. Tokens of a list are not nested, so one pass finds them. */
function* tokensOf(list: string): Generator<Token, void> {
  for (const [whole, bracketed, quoted, word, separator] of plainSeparators(list).matchAll(TOKEN)) {
    if (bracketed !== undefined) yield { kind: 'bracketed', text: bracketed.trim() };
    else if (separator !== undefined) yield { kind: separator === ',' ? 'comma' : 'break', text: separator };
    else if (quoted === undefined) yield { kind: whole.includes('@') ? 'address' : 'word', text: word ?? '' };
    else if (/"@/.test(quoted)) yield { kind: 'address', text: quoted };
    else yield { kind: 'word', text: quoted.slice(1, -1).trim() };
  }
}
