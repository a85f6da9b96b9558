import { createHash, randomInt } from 'node:crypto';
import { DEMO_PASSWORD } from '#features/demo/demo/demo.ts';

/** A complete response: its body was read to the end. */
export interface Answer {
  status: number;
  headers: Headers;
  body: Buffer;
}

const FORM = 'application/x-www-form-urlencoded';

/** A file to upload. Its content is derived from its name, so that a later reader can check it. */
export function contentOf(name: string): Buffer {
  const size = Number(/-(\d+)\.pdf$/.exec(name)?.[1] ?? 100);
  const seed = createHash('sha512').update(name).digest();
  const bytes = Buffer.alloc(Math.max(size, 16), seed);
  bytes.write('%PDF-1.7\n');
  return bytes;
}

export const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A simulated user: cookies, a network address of their own behind the proxy, and actions on the portal. */
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

  /** Changes the network address, which resets limits by network. */
  move(): void {
    this.#network = anyNetwork();
  }

  async ask(
    path: string,
    init: {
      method?: string;
      headers?: Record<string, string>;
      body?: FormData | string | ReadableStream;
      signal?: AbortSignal;
    } = {},
  ): Promise<Answer> {
    const headers = {
      origin: this.origin,
      'sec-fetch-site': 'same-origin',
      'x-forwarded-for': this.#network,
      cookie: this.cookieHeader,
      ...init.headers,
    };
    const answer = await fetch(new URL(path, this.origin), {
      ...init,
      headers,
      redirect: 'manual',
      ...(init.body instanceof ReadableStream && { duplex: 'half' }),
    });
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
    return this.ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(value),
    });
  }

  form(path: string, fields: Record<string, string>): Promise<Answer> {
    return this.ask(path, {
      method: 'POST',
      headers: { 'content-type': FORM },
      body: new URLSearchParams(fields).toString(),
    });
  }

  /**
   * Signs in through form and provider. Returns the last response: a redirect to the first page on success.
   */
  async signIn(): Promise<Answer> {
    this.cookies.clear();
    this.move();
    let answer = await this.form('/clientcenter/en-us/auth', { email: this.email, password: DEMO_PASSWORD });
    for (
      let hops = 0;
      hops < 8 && !this.cookies.has('sid') && answer.headers.get('location') !== null;
      hops += 1
    )
      answer = await this.ask(answer.headers.get('location') ?? '');
    return answer;
  }

  /** Signs in or throws, and loads the first client. */
  async arrive(): Promise<this> {
    const answer = await this.signIn();
    if (!this.cookies.has('sid')) throw new Error(`${this.email} could not sign in: ${answer.status}`);
    const list = await this.ask('/api/client-center/v1/clients/');
    this.clientId = (JSON.parse(list.body.toString()) as { clients: { id: string }[] }).clients[0]?.id ?? '';
    return this;
  }

  signOut = (): Promise<Answer> => this.form('/clientcenter/en-us/auth/logout', {});

  /** Uploads files whose content is derived from their names. */
  uploadAs(
    names: string[],
    { place = `clients/${this.clientId}`, onConflict = 'fail' } = {},
  ): Promise<Answer> {
    const form = new FormData();
    for (const name of names) form.append('file[]', new File([new Uint8Array(contentOf(name))], name));
    return this.ask(`/api/storage/v1/${place}/documents?onConflict=${onConflict}`, {
      method: 'POST',
      body: form,
    });
  }

  makeFolder = (name: string): Promise<Answer> =>
    this.json('/api/storage/v1/folders', { name, parentId: this.clientId, parentType: 'Client' });

  share(
    document: { id: string; containerId: string; containerType: string },
    to: string[],
    subject: string,
  ): Promise<Answer> {
    return this.json('/api/storage/v2/sharing/share', {
      expirationPeriod: 'AfterThreeDays',
      overrides: { subject, body: 'As agreed.' },
      recipients: to.map((emailAddress) => ({ emailAddress })),
      sharedItems: [
        { containerType: document.containerType, containerId: document.containerId, documentId: document.id },
      ],
    });
  }

  /** Opens a mailed link; 303 with a `visit` cookie on success. */
  openLink(link: string): Promise<Answer> {
    this.cookies.delete('visit');
    this.move();
    return this.form(new URL(link).pathname, { form: 'open-share' });
  }

  /**
   * Downloads a document, with step-up authentication when the hourly limit requires it (threat-model.md
   * T67).
   */
  async download(document: { id: string; containerId: string; containerType: string }): Promise<Answer> {
    const fetched = (): Promise<Answer> =>
      this.ask(
        `/api/storage/v1/${document.containerType.toLowerCase()}s/${document.containerId}/documents/${document.id}`,
      );
    const answer = await fetched();
    if (!answer.body.includes('"STEP_UP"')) return answer;
    await this.form('/clientcenter/en-us/auth/confirm', { form: 'confirm', password: DEMO_PASSWORD });
    return fetched();
  }

  /** Lists all documents of the client, page by page. */
  async documents(): Promise<Listed[]> {
    const all: Listed[] = [];
    for (;;) {
      const answer = await this.ask(
        `/api/storage/v1/containers/documents?clientId=${this.clientId}&orderBy=createdDate&orderDir=asc&from=${all.length}`,
      );
      if (answer.status !== 200)
        throw new Error(
          `The list of documents answered ${answer.status}: ${answer.body.toString().slice(0, 200)}`,
        );
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
