import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { issue, testRoot } from './digital-certificates.ts';
import { taxIdXml } from './fiscal.ts';
import { isValidForOracle } from './signed-xml.ts';

/*
 * A tax authority on this machine: the services for events, distribution and the situation of invoices, over HTTPS with
 * certificates of clients, as the real ones speak. It checks what it gets as they do, by code of its own, and fails on request.
 */

const NFE = 'http://www.portalfiscal.inf.br/nfe';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PAGE = 50;

/** What goes wrong with the next request of a service. */
export type Fault =
  | 'drop before reading'
  | 'accept then drop'
  | 'answer late'
  | 'half an answer'
  | 'status 503'
  | 'status 403'
  | 'code 108'
  | 'code 656'
  | 'code 280'
  | 'code 573'
  | 'code 215'
  | 'wrong namespace'
  | 'not XML'
  | 'with a document type'
  | 'answer in Latin-1'
  | 'too large'
  | 'bomb'
  | 'of another event';

const SERVICES = ['NFeRecepcaoEvento4', 'NFeDistribuicaoDFe', 'NFeConsultaProtocolo4'] as const;
type Service = (typeof SERVICES)[number];

interface Registered {
  id: string;
  author: string;
  protocol: string;
  at: number;
  xml: string;
}

interface KnownInvoice {
  recipient: string;
  authorizedAt: number;
  isCancelled?: boolean;
}

/** Starts the authority. `clock` tells the time (epoch ms). */
export async function startTaxAuthority({
  clock = Date.now,
  tls = {},
}: {
  clock?: () => number;
  /** Other properties of the server. */
  tls?: https.ServerOptions;
} = {}) {
  const own = issue({ commonName: 'localhost', alternativeNames: 'DNS:localhost,IP:127.0.0.1' });
  const root = testRoot();
  const faults: { service: Service; fault: Fault }[] = [];
  const requests: { service: Service; text: string; cnpj: string }[] = [];
  const events = new Map<string, Registered>();
  const invoices = new Map<string, KnownInvoice>();
  const documents = new Map<string, { schema: string; content: Buffer; nsu: number }[]>();
  /** Until when a CNPJ may not ask for documents. */
  const blocked = new Map<string, number>();
  let protocols = 0;
  let port = 0;

  const server = https.createServer(
    { key: own.key, cert: own.certificate, ca: root, requestCert: true, rejectUnauthorized: true, ...tls },
    (request, response) => {
      answer(request, response).catch((error: unknown) => {
        response.destroy(error instanceof Error ? error : new Error(String(error)));
      });
    },
  );
  server.on('tlsClientError', () => undefined); // a client without a certificate that it trusts

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const service = SERVICES.find((each) => request.url === `/${each}`);
    if (!service) return void response.writeHead(404).end();
    const at = faults.findIndex((each) => each.service === service);
    const fault = at < 0 ? undefined : faults.splice(at, 1)[0]?.fault;
    if (fault === 'drop before reading') return void response.destroy();
    const text = (await buffer(request)).toString();
    const cnpj = cnpjIn((request.socket as TLSSocket).getPeerX509Certificate());
    requests.push({ service, text, cnpj });
    if (fault?.startsWith('status ')) return void response.writeHead(Number(fault.slice(7))).end('');
    const content = fault?.startsWith('code ')
      ? refusal(service, fault.slice(5))
      : SERVING[service](text, cnpj);
    if (fault === 'accept then drop') return void response.destroy();
    // longer than anybody waits
    if (fault === 'answer late') return void (await once(response, 'close'));
    send(response, envelope(service, content), fault);
  }

  function send(response: ServerResponse, text: string, fault: Fault | undefined): void {
    response.setHeader('Content-Type', 'application/soap+xml; charset=utf-8');
    if (fault === 'half an answer') {
      response.writeHead(200, { 'Content-Length': Buffer.byteLength(text) });
      response.write(text.slice(0, text.length / 2), () => response.destroy());
    } else if (fault === 'wrong namespace') response.end(text.replaceAll(`${NFE}"`, `${NFE}x"`));
    else if (fault === 'not XML') response.end('<html><body>Manutenção<br></body></html>');
    else if (fault === 'with a document type') response.end(`<!DOCTYPE x [<!ENTITY a "b">]>${text}`);
    else if (fault === 'answer in Latin-1') response.end(Buffer.from(text, 'latin1'));
    else if (fault === 'too large')
      response.end(Buffer.concat([Buffer.from(text), Buffer.alloc(33 * 1024 ** 2, ' ')]));
    else if (fault === 'bomb')
      response.end(
        text.replace(
          '</retDistDFeInt>',
          `<loteDistDFeInt><docZip NSU="000000000000001" schema="procNFe_v4.00.xsd">${BOMB()}</docZip></loteDistDFeInt></retDistDFeInt>`,
        ),
      );
    else if (fault === 'of another event')
      response.end(text.replaceAll(/<nSeqEvento>\d<\/nSeqEvento>/g, '<nSeqEvento>9</nSeqEvento>'));
    else response.end(text);
  }

  const SERVING: Record<Service, (text: string, cnpj: string) => string> = {
    NFeRecepcaoEvento4: receiveEvent,
    NFeDistribuicaoDFe: distribute,
    NFeConsultaProtocolo4: (text) => situation(between(text, 'chNFe')),
  };

  function receiveEvent(text: string, holder: string): string {
    const [evento = ''] = /<evento [\s\S]*<\/evento>/.exec(text) ?? [];
    const id = /<infEvento Id="([^"]*)"/.exec(evento)?.[1] ?? '';
    const code = problemWith(evento, { id, holder }) ?? '135';
    const [key, type, sequence] = ['chNFe', 'tpEvento', 'nSeqEvento'].map((name) => between(evento, name));
    const isRegistered = code === '135';
    const at = clock();
    if (isRegistered)
      events.set(id, {
        id,
        author: taxIdIn(evento),
        protocol: `8912600${String((protocols += 1)).padStart(8, '0')}`,
        at,
        xml: evento,
      });
    const own = `<infEvento><tpAmb>${between(evento, 'tpAmb')}</tpAmb><verAplic>AN_1</verAplic><cOrgao>91</cOrgao><cStat>${code}</cStat><xMotivo>${MEANINGS[code] ?? 'Rejeição'}</xMotivo><chNFe>${key}</chNFe><tpEvento>${type}</tpEvento><nSeqEvento>${sequence}</nSeqEvento><dhRegEvento>${inBrasilia(at)}</dhRegEvento>${isRegistered ? `<nProt>${events.get(id)?.protocol ?? ''}</nProt>` : ''}</infEvento>`;
    return `<retEnvEvento xmlns="${NFE}" versao="1.00"><idLote>${between(text, 'idLote')}</idLote><tpAmb>2</tpAmb><verAplic>AN_1</verAplic><cOrgao>91</cOrgao><cStat>128</cStat><xMotivo>Lote de evento processado</xMotivo><retEvento versao="1.00">${own}</retEvento></retEnvEvento>`;
  }

  /** Why an event is refused, by the rules of the manual; undefined for one that is registered. */
  function problemWith(evento: string, { id, holder }: { id: string; holder: string }): string | undefined {
    const [key, type, sequence, at] = ['chNFe', 'tpEvento', 'nSeqEvento', 'dhEvento'].map((name) =>
      between(evento, name),
    ) as [string, string, string, string];
    const author = taxIdIn(evento);
    if (/>\s+</.test(evento) || /<\w+:/.test(evento)) return '588';
    if (!LAYOUT.test(evento) || id !== `ID${type}${key}${sequence.padStart(2, '0')}`) return '215';
    if (!isValidForOracle(evento)) return '297';
    const signer = new X509Certificate(Buffer.from(between(evento, 'X509Certificate'), 'base64'));
    if (!mayBe(cnpjIn(signer), author)) return '213';
    if (!mayBe(holder, author)) return '593';
    const invoice = invoices.get(key);
    if (!invoice) return '494';
    if (invoice.recipient !== author) return '575';
    if (Date.parse(at) > clock() + 300_000) return '578';
    if (Date.parse(at) < invoice.authorizedAt) return '579';
    if (clock() > invoice.authorizedAt + 181 * DAY) return '596';
    if (invoice.isCancelled) return '650';
    if (events.has(id)) return '573';
    const own = [...events.keys()].filter((each) => each.slice(8, 52) === key);
    if (type === '210210' && own.some((each) => !each.startsWith('ID210210'))) return '655';
    if (Number(sequence) > (type === '210210' ? 1 : 2)) return '594';
    if (type === '210240' && !/<xJust>[^<]{15,255}<\/xJust>/.test(evento)) return '595';
    return undefined;
  }

  function distribute(text: string, holder: string): string {
    const [cnpj, after] = [taxIdIn(text), Number(between(text, 'ultNSU'))];
    const all = documents.get(cnpj) ?? [];
    const highest = all.at(-1)?.nsu ?? 0;
    if (!mayBe(holder, cnpj)) return distribution({ code: '593' });
    if ((blocked.get(cnpj) ?? 0) > clock()) {
      blocked.set(cnpj, clock() + HOUR);
      return distribution({ code: '656', last: after, highest: 0 });
    }
    if (after > highest) return distribution({ code: '589', last: after, highest });
    const page = all.filter(({ nsu }) => nsu > after).slice(0, PAGE);
    const last = page.at(-1)?.nsu ?? after;
    if (last === highest) blocked.set(cnpj, clock() + HOUR);
    if (page.length === 0) return distribution({ code: '137', last, highest });
    const zipped = page.map(
      ({ nsu, schema, content }) =>
        `<docZip NSU="${nsuText(nsu)}" schema="${schema}">${gzipSync(content).toString('base64')}</docZip>`,
    );
    return distribution({
      code: '138',
      last,
      highest,
      lot: `<loteDistDFeInt>${zipped.join('')}</loteDistDFeInt>`,
    });
  }

  const distribution = ({
    code,
    last = 0,
    highest = 0,
    lot = '',
  }: {
    code: string;
    last?: number;
    highest?: number;
    lot?: string;
  }): string =>
    `<retDistDFeInt xmlns="${NFE}" versao="1.01"><tpAmb>2</tpAmb><verAplic>1.7</verAplic><cStat>${code}</cStat><xMotivo>${MEANINGS[code] ?? 'Rejeição'}</xMotivo><dhResp>${inBrasilia(clock())}</dhResp><ultNSU>${nsuText(last)}</ultNSU><maxNSU>${nsuText(highest)}</maxNSU>${lot}</retDistDFeInt>`;

  function situation(key: string): string {
    const known = [...events.values()].filter(({ id }) => id.slice(8, 52) === key).map(procEvent);
    const code = invoices.has(key) ? '100' : '217';
    return `<retConsSitNFe xmlns="${NFE}" versao="4.00"><tpAmb>2</tpAmb><verAplic>SP_1</verAplic><cStat>${code}</cStat><xMotivo>${MEANINGS[code] ?? ''}</xMotivo><cUF>35</cUF><chNFe>${key}</chNFe>${known.join('')}</retConsSitNFe>`;
  }

  const refusal = (service: Service, code: string): string =>
    service === 'NFeDistribuicaoDFe'
      ? distribution({ code })
      : `<${ANSWERS[service]} xmlns="${NFE}" versao="1.00"><tpAmb>2</tpAmb><verAplic>AN_1</verAplic><cStat>${code}</cStat><xMotivo>${MEANINGS[code] ?? 'Rejeição'}</xMotivo></${ANSWERS[service]}>`;

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
  return {
    url: `https://127.0.0.1:${port}`,
    /** The certificates that a client of it has to trust, as PEM. */
    root,
    requests,
    events,
    invoices,
    blocked,
    /** The requests of a service since the last call. */
    take: (service: Service) => {
      const taken = requests.filter((each) => each.service === service);
      for (const each of taken) requests.splice(requests.indexOf(each), 1);
      return taken;
    },
    fail: (service: Service, ...next: readonly Fault[]): void =>
      void faults.push(...next.map((fault) => ({ service, fault }))),
    /** Adds a document for a CNPJ, by default with the next number. */
    publish: (cnpj: string, schema: string, content: string | Buffer, nsu?: number): number => {
      const all = documents.get(cnpj) ?? [];
      const number = nsu ?? (all.at(-1)?.nsu ?? 0) + 1;
      all.push({ schema, content: Buffer.from(content), nsu: number });
      documents.set(cnpj, all);
      return number;
    },
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

const ANSWERS = {
  NFeRecepcaoEvento4: 'retEnvEvento',
  NFeDistribuicaoDFe: 'retDistDFeInt',
  NFeConsultaProtocolo4: 'retConsSitNFe',
} as const satisfies Record<Service, string>;

const MEANINGS: Readonly<Record<string, string>> = {
  100: 'Autorizado o uso da NF-e',
  108: 'Serviço Paralisado Momentaneamente (curto prazo)',
  135: 'Evento registrado e vinculado a NF-e',
  137: 'Nenhum documento localizado para o Destinatário',
  138: 'Documento localizado para o Destinatário',
  215: 'Rejeição: Falha no schema XML',
  217: 'Rejeição: NF-e não consta na base de dados da SEFAZ',
  280: 'Rejeição: Certificado Transmissor inválido',
  494: 'Rejeição: Chave de Acesso inexistente',
  573: 'Rejeição: Duplicidade de Evento',
  575: 'Rejeição: O autor do evento diverge do destinatário da NF-e',
  593: 'Rejeição: CNPJ-Base consultado difere do CNPJ-Base do Certificado Digital',
  596: 'Rejeição: Evento apresentado fora do prazo',
  650: 'Rejeição: Evento de "Ciência da Emissão" para NF-e Cancelada ou Denegada',
  655: 'Rejeição: Evento de Ciência da Emissão informado após a manifestação final do destinatário',
  656: 'Rejeição: Consumo Indevido',
};

/** The layout of events of the manifest (leiauteConfRecebto 1.00), with keys that have letters. */
const LAYOUT =
  /^<evento xmlns="[^"]*" versao="1\.00"><infEvento Id="ID2102[0124]0\d{6}[\dA-Z]{12}\d{28}"><cOrgao>91<\/cOrgao><tpAmb>[12]<\/tpAmb>(?:<CNPJ>[\dA-Z]{12}\d\d<\/CNPJ>|<CPF>\d{11}<\/CPF>)<chNFe>\d{6}[\dA-Z]{12}\d{26}<\/chNFe><dhEvento>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-03:00<\/dhEvento><tpEvento>2102[0124]0<\/tpEvento><nSeqEvento>\d<\/nSeqEvento><verEvento>1\.00<\/verEvento><detEvento versao="1\.00"><descEvento>(?:Confirmacao da Operacao|Ciencia da Operacao|Desconhecimento da Operacao|Operacao nao Realizada)<\/descEvento>(?:<xJust>[!-ÿ][ -ÿ]*[!-ÿ]<\/xJust>)?<\/detEvento><\/infEvento><Signature [\s\S]*<\/Signature><\/evento>$/;

const envelope = (service: Service, content: string): string =>
  `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://www.w3.org/2003/05/soap-envelope" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soap:Body><nfeResultMsg xmlns="http://www.portalfiscal.inf.br/nfe/wsdl/${service}">${content}</nfeResultMsg></soap:Body></soap:Envelope>`;

const between = (text: string, name: string): string =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? '';

/** The CNPJ or CPF of whoever says or asks something. */
const taxIdIn = (text: string): string => between(text, 'CNPJ') || between(text, 'CPF');

/** Whether a certificate with a number may speak for another one: of the same company, or person. */
const mayBe = (holder: string, taxId: string): boolean =>
  holder.length === 11 || taxId.length === 11 ? holder === taxId : holder.slice(0, 8) === taxId.slice(0, 8);

const nsuText = (nsu: number): string => String(nsu).padStart(15, '0');

const inBrasilia = (at: number): string => `${new Date(at - 3 * HOUR).toISOString().slice(0, 19)}-03:00`;

const cnpjIn = (certificate: X509Certificate | undefined): string =>
  /:([\dA-Z]{14}|\d{11})$/m.exec(certificate?.subject ?? '')?.[1] ?? '';

const procEvent = ({ id, protocol, at, xml }: Registered): string =>
  `<procEventoNFe versao="1.00">${xml}<retEvento versao="1.00"><infEvento><tpAmb>2</tpAmb><verAplic>AN_1</verAplic><cOrgao>91</cOrgao><cStat>135</cStat><xMotivo>Evento registrado e vinculado a NF-e</xMotivo><chNFe>${id.slice(8, 52)}</chNFe><tpEvento>${id.slice(2, 8)}</tpEvento><nSeqEvento>${Number(id.slice(52))}</nSeqEvento><dhRegEvento>${inBrasilia(at)}</dhRegEvento><nProt>${protocol}</nProt></infEvento></retEvento></procEventoNFe>`;

/** Base64 of gzip of far more than a document may have. */
const BOMB = (): string => gzipSync(Buffer.alloc(64 * 1024 ** 2)).toString('base64');

/** The summary of an invoice, as a recipient gets it. */
export const summaryXml = ({
  key,
  issuer,
  name = 'Moinho Boa Safra S.A.',
  issuedAt = '2026-11-05T10:00:00-03:00',
  total = '100.00',
  status = '1',
}: {
  key: string;
  issuer: string;
  name?: string;
  issuedAt?: string;
  total?: string;
  status?: '1' | '2' | '3';
}): string =>
  `<resNFe xmlns="${NFE}" versao="1.01"><chNFe>${key}</chNFe>${taxIdXml(issuer)}<xNome>${name}</xNome><IE>110042490114</IE><dhEmi>${issuedAt}</dhEmi><tpNF>1</tpNF><vNF>${total}</vNF><digVal>q1sjUOaFZL+f2GZrkHTPFzhsr1g=</digVal><dhRecbto>${issuedAt}</dhRecbto><nProt>135260000000001</nProt><cSitNFe>${status}</cSitNFe></resNFe>`;

/** The summary of an event about an invoice. */
export const eventSummaryXml = ({
  key,
  author,
  type,
  sequence = 1,
  at = '2026-11-06T09:00:05-03:00',
  protocol = '891260000000077',
}: {
  key: string;
  author: string;
  type: string;
  sequence?: number;
  at?: string;
  protocol?: string;
}): string =>
  `<resEvento xmlns="${NFE}" versao="1.01"><cOrgao>91</cOrgao>${taxIdXml(author)}<chNFe>${key}</chNFe><dhEvento>${at}</dhEvento><tpEvento>${type}</tpEvento><nSeqEvento>${sequence}</nSeqEvento><xEvento>Evento</xEvento><dhRecbto>${at}</dhRecbto><nProt>${protocol}</nProt></resEvento>`;
