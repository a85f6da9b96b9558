import { addressOf } from './addresses.server.ts';
import { distributionIn, eventReplyIn, situationIn } from './internal/answers.server.ts';
import { call, type Connection } from './internal/soap.server.ts';
import {
  ENVIRONMENTS,
  taxIdElement,
  type Environment,
  type Outcome,
  type TaxAuthority,
} from './tax-authority.server.ts';
import type { XmlElement } from '#features/documents/fiscal-xml/xml.server.ts';

/* The services of the Brazilian tax authorities (SEFAZ) for invoices (NF-e 4.00), by SOAP. */

const NFE = 'http://www.portalfiscal.inf.br/nfe';

interface Options extends Connection {
  environment: Environment;
  /** Where all services are instead, by their names: another authority that speaks the same, such as the one of the tests. */
  url?: string | undefined;
}

/** The adapter of the authorities, with the settings of the installation. */
export function sefaz({ environment, url, ...connection }: Options): TaxAuthority {
  const at = (service: Parameters<typeof addressOf>[0], key?: string): string =>
    url === undefined ? addressOf(service, environment, key) : `${url}/${service}`;
  const tpAmb = `<tpAmb>${ENVIRONMENTS[environment]}</tpAmb>`;
  return {
    environment,
    distribute: async (who, { taxId, after }) =>
      understood(
        await call(connection, who, {
          url: at('NFeDistribuicaoDFe'),
          service: 'NFeDistribuicaoDFe',
          method: 'nfeDistDFeInteresse',
          isWrapped: true,
          data: `<distDFeInt xmlns="${NFE}" versao="1.01">${tpAmb}<${taxIdElement(taxId)}>${taxId}</${taxIdElement(taxId)}><distNSU><ultNSU>${after}</ultNSU></distNSU></distDFeInt>`,
          answer: 'retDistDFeInt',
        }),
        distributionIn,
      ),
    send: async (who, { id, lot, xml }) =>
      understood(
        await call(connection, who, {
          url: at('NFeRecepcaoEvento4'),
          service: 'NFeRecepcaoEvento4',
          method: 'nfeRecepcaoEvento',
          data: `<envEvento xmlns="${NFE}" versao="1.00"><idLote>${lot}</idLote>${xml}</envEvento>`,
          answer: 'retEnvEvento',
        }),
        (element) => eventReplyIn(element, id),
      ),
    situation: async (who, key) =>
      understood(
        await call(connection, who, {
          url: at('NFeConsultaProtocolo4', key),
          service: 'NFeConsultaProtocolo4',
          method: 'nfeConsultaNF',
          data: `<consSitNFe xmlns="${NFE}" versao="4.00">${tpAmb}<xServ>CONSULTAR</xServ><chNFe>${key}</chNFe></consSitNFe>`,
          answer: 'retConsSitNFe',
        }),
        situationIn,
      ),
  };
}

function understood<Answer extends object>(
  outcome: Outcome<{ element: XmlElement }>,
  read: (element: XmlElement) => Answer | undefined,
): Outcome<Answer> {
  if (outcome.state !== 'answered') return outcome;
  const answer = read(outcome.element);
  return answer ? { state: 'answered', ...answer } : { state: 'unclear', because: 'unreadable' };
}
