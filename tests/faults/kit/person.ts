import { createHash, randomInt } from 'node:crypto';
import { DEMO_PASSWORD } from '#features/demo/demo.ts';

/** A complete answer: every byte of it was read. */
export interface Answer {
  status: number;
  headers: Headers;
  body: Buffer;
}

const FORM = 'application/x-www-form-urlencoded';

/** A file that a person hands in: its bytes follow from its name, so that whoever finds it later knows what it must be. */
export function contentOf(name: string): Buffer {
  const size = Number(/-(\d+)\.pdf$/.exec(name)?.[1] ?? 100);
  const seed = createHash('sha512').update(name).digest();
  const bytes = Buffer.alloc(Math.max(size, 16), seed);
  bytes.write('%PDF-1.7\n');
  return bytes;
}

export const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Somebody with a browser: cookies, a network address of their own behind the proxy, and what can be done on the portal. */
export class Person {
  readonly cookies = new Map<string, string>();
  readonly origin: string;
  readonly email: string;
  #network = anyNetwork();
  clientId = '';

  constructor(origin: string, email: string) {
    this.origin = origin;
    this.email = email;
  }

  /** Comes back from another place: limits by network count anew. */
  move(): void {
    this.#network = anyNetwork();
  }

  async ask(path: string, init: { method?: string; headers?: Record<string, string>; body?: FormData | string | ReadableStream; signal?: AbortSignal } = {}): Promise<Answer> {
    const headers = { origin: this.origin, 'sec-fetch-site': 'same-origin', 'x-forwarded-for': this.#network, cookie: this.cookieHeader, ...init.headers };
    const answer = await fetch(new URL(path, this.origin), { ...init, headers, redirect: 'manual', ...(init.body instanceof ReadableStream && { duplex: 'half' }) });
    const body = Buffer.from(await answer.arrayBuffer());
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line) || value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { status: answer.status, headers: answer.headers, body };
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  json(path: string, value: unknown): Promise<Answer> {
    return this.ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) });
  }

  form(path: string, fields: Record<string, string>): Promise<Answer> {
    return this.ask(path, { method: 'POST', headers: { 'content-type': FORM }, body: new URLSearchParams(fields).toString() });
  }

  /** Signs in through the form and the provider; answers the last answer, a redirection to the first page when it went well. */
  async signIn(): Promise<Answer> {
    this.cookies.clear();
    this.move();
    let answer = await this.form('/clientcenter/en-us/auth', { email: this.email, password: DEMO_PASSWORD });
    for (let hops = 0; hops < 8 && !this.cookies.has('sid') && answer.headers.get('location') !== null; hops += 1) answer = await this.ask(answer.headers.get('location') ?? '');
    return answer;
  }

  /** Signs in, or throws; then knows the first of their clients. */
  async arrive(): Promise<this> {
    const answer = await this.signIn();
    if (!this.cookies.has('sid')) throw new Error(`${this.email} could not sign in: ${answer.status}`);
    const list = await this.ask('/api/client-center/v1/clients/');
    this.clientId = (JSON.parse(list.body.toString()) as { clients: { id: string }[] }).clients[0]?.id ?? '';
    return this;
  }

  signOut = (): Promise<Answer> => this.form('/clientcenter/en-us/auth/logout', {});

  /** Hands in files whose bytes follow from their names. */
  handIn(names: string[], { place = `clients/${this.clientId}`, onConflict = 'fail' } = {}): Promise<Answer> {
    const form = new FormData();
    for (const name of names) form.append('file[]', new File([new Uint8Array(contentOf(name))], name));
    return this.ask(`/api/storage/v1/${place}/documents?onConflict=${onConflict}`, { method: 'POST', body: form });
  }

  makeFolder = (name: string): Promise<Answer> => this.json('/api/storage/v1/folders', { name, parentId: this.clientId, parentType: 'Client' });

  share(document: { id: string; containerId: string; containerType: string }, to: string[], subject: string): Promise<Answer> {
    return this.json('/api/storage/v2/sharing/share', {
      expirationPeriod: 'AfterThreeDays',
      overrides: { subject, body: 'As agreed.' },
      recipients: to.map((emailAddress) => ({ emailAddress })),
      sharedItems: [{ containerType: document.containerType, containerId: document.containerId, documentId: document.id }],
    });
  }

  /** Opens a link from a mail; 303 with a `visit` cookie when it went well. */
  openLink(link: string): Promise<Answer> {
    this.cookies.delete('visit');
    this.move();
    return this.form(new URL(link).pathname, {});
  }

  /** Fetches a document; who has fetched too much within the hour shows once more who they are (security.md T67). */
  async download(document: { id: string; containerId: string; containerType: string }): Promise<Answer> {
    const fetched = (): Promise<Answer> => this.ask(`/api/storage/v1/${document.containerType.toLowerCase()}s/${document.containerId}/documents/${document.id}`);
    const answer = await fetched();
    if (!answer.body.includes('"STEP_UP"')) return answer;
    await this.form('/clientcenter/en-us/auth/confirm', { act: 'password', password: DEMO_PASSWORD });
    return fetched();
  }

  /** Every document of their client, by pages. */
  async documents(): Promise<Listed[]> {
    const all: Listed[] = [];
    for (;;) {
      const answer = await this.ask(`/api/storage/v1/containers/documents?clientId=${this.clientId}&orderBy=createdDate&orderDir=asc&from=${all.length}`);
      if (answer.status !== 200) throw new Error(`The list of documents answered ${answer.status}: ${answer.body.toString().slice(0, 200)}`);
      const { data } = JSON.parse(answer.body.toString()) as { data: { items: Listed[]; total: number } };
      all.push(...data.items);
      if (data.items.length === 0 || all.length >= data.total) return all;
    }
  }
}

export interface Listed {
  id: string;
  name: string;
  sha256: string;
  originalItemSize: number;
  parent: { id: string; containerType: string };
}

const anyNetwork = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
