import type { Environment } from './tax-authority.server.ts';

/*
 * Where the services are: events and distribution at the national environment, the situation of an invoice at the state of its
 * issuer, which is the beginning of the key (IBGE's number). States without services of their own use a shared one.
 */

type Service = 'NFeRecepcaoEvento4' | 'NFeDistribuicaoDFe' | 'NFeConsultaProtocolo4';

const NATIONAL: Readonly<
  Record<Exclude<Service, 'NFeConsultaProtocolo4'>, Readonly<Record<Environment, string>>>
> = {
  NFeRecepcaoEvento4: {
    production: 'https://www.nfe.fazenda.gov.br/NFeRecepcaoEvento4/NFeRecepcaoEvento4.asmx',
    test: 'https://hom1.nfe.fazenda.gov.br/NFeRecepcaoEvento4/NFeRecepcaoEvento4.asmx',
  },
  NFeDistribuicaoDFe: {
    production: 'https://www1.nfe.fazenda.gov.br/NFeDistribuicaoDFe/NFeDistribuicaoDFe.asmx',
    test: 'https://hom1.nfe.fazenda.gov.br/NFeDistribuicaoDFe/NFeDistribuicaoDFe.asmx',
  },
};

type Addresses = Readonly<Record<Environment, string>>;

const SHARED: Addresses = {
  production: 'https://nfe.svrs.rs.gov.br/ws/NfeConsulta/NfeConsulta4.asmx',
  test: 'https://nfe-homologacao.svrs.rs.gov.br/ws/NfeConsulta/NfeConsulta4.asmx',
};

/** By the number of the state. */
const OWN: Readonly<Record<string, Addresses>> = {
  // Amazonas
  13: {
    production: 'https://nfe.sefaz.am.gov.br/services2/services/NfeConsulta4',
    test: 'https://homnfe.sefaz.am.gov.br/services2/services/NfeConsulta4',
  },
  // Maranhão
  21: {
    production: 'https://www.sefazvirtual.fazenda.gov.br/NFeConsultaProtocolo4/NFeConsultaProtocolo4.asmx',
    test: 'https://hom.sefazvirtual.fazenda.gov.br/NFeConsultaProtocolo4/NFeConsultaProtocolo4.asmx',
  },
  // Pernambuco
  26: {
    production: 'https://nfe.sefaz.pe.gov.br/nfe-service/services/NFeConsultaProtocolo4',
    test: 'https://nfehomolog.sefaz.pe.gov.br/nfe-service/services/NFeConsultaProtocolo4',
  },
  // Bahia
  29: {
    production: 'https://nfe.sefaz.ba.gov.br/webservices/NFeConsultaProtocolo4/NFeConsultaProtocolo4.asmx',
    test: 'https://hnfe.sefaz.ba.gov.br/webservices/NFeConsultaProtocolo4/NFeConsultaProtocolo4.asmx',
  },
  // Minas Gerais
  31: {
    production: 'https://nfe.fazenda.mg.gov.br/nfe2/services/NFeConsultaProtocolo4',
    test: 'https://hnfe.fazenda.mg.gov.br/nfe2/services/NFeConsultaProtocolo4',
  },
  // São Paulo
  35: {
    production: 'https://nfe.fazenda.sp.gov.br/ws/nfeconsultaprotocolo4.asmx',
    test: 'https://homologacao.nfe.fazenda.sp.gov.br/ws/nfeconsultaprotocolo4.asmx',
  },
  // Paraná
  41: {
    production: 'https://nfe.sefa.pr.gov.br/nfe/NFeConsultaProtocolo4',
    test: 'https://homologacao.nfe.sefa.pr.gov.br/nfe/NFeConsultaProtocolo4',
  },
  // Rio Grande do Sul
  43: {
    production: 'https://nfe.sefazrs.rs.gov.br/ws/NfeConsulta/NfeConsulta4.asmx',
    test: 'https://nfe-homologacao.sefazrs.rs.gov.br/ws/NfeConsulta/NfeConsulta4.asmx',
  },
  // Mato Grosso do Sul
  50: {
    production: 'https://nfe.sefaz.ms.gov.br/ws/NFeConsultaProtocolo4',
    test: 'https://hom.nfe.sefaz.ms.gov.br/ws/NFeConsultaProtocolo4',
  },
  // Mato Grosso
  51: {
    production: 'https://nfe.sefaz.mt.gov.br/nfews/v2/services/NfeConsulta4',
    test: 'https://homologacao.sefaz.mt.gov.br/nfews/v2/services/NfeConsulta4',
  },
  // Goiás
  52: {
    production: 'https://nfe.sefaz.go.gov.br/nfe/services/NFeConsultaProtocolo4',
    test: 'https://homolog.sefaz.go.gov.br/nfe/services/NFeConsultaProtocolo4',
  },
};

/** The address of a service; the last one is at the state of the invoice with a key. */
export function addressOf(service: Service, environment: Environment, key = ''): string {
  if (service !== 'NFeConsultaProtocolo4') return NATIONAL[service][environment];
  return (OWN[key.slice(0, 2)] ?? SHARED)[environment];
}
