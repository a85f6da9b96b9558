/*
 * The agencies that issue clearance certificates, as data: three of the Union, one of each state, and the city hall of each
 * city. Their ids say which one they are: `federal`, `fgts`, `labor`, `state-SP`, `city-3550308` (the IBGE code).
 */

/** The agencies of the Union, each of which is one. */
export const NATIONAL = ['federal', 'fgts', 'labor'] as const;
export type National = (typeof NATIONAL)[number];

/** The states and the Federal District, whose treasuries issue certificates. */
export const STATES: Readonly<Record<string, string>> = {
  AC: 'Acre',
  AL: 'Alagoas',
  AM: 'Amazonas',
  AP: 'Amapá',
  BA: 'Bahia',
  CE: 'Ceará',
  DF: 'Distrito Federal',
  ES: 'Espírito Santo',
  GO: 'Goiás',
  MA: 'Maranhão',
  MG: 'Minas Gerais',
  MS: 'Mato Grosso do Sul',
  MT: 'Mato Grosso',
  PA: 'Pará',
  PB: 'Paraíba',
  PE: 'Pernambuco',
  PI: 'Piauí',
  PR: 'Paraná',
  RJ: 'Rio de Janeiro',
  RN: 'Rio Grande do Norte',
  RO: 'Rondônia',
  RR: 'Roraima',
  RS: 'Rio Grande do Sul',
  SC: 'Santa Catarina',
  SE: 'Sergipe',
  SP: 'São Paulo',
  TO: 'Tocantins',
};

export const stateAgency = (state: string): string => `state-${state}`;
export const cityAgency = (code: string): string => `city-${code}`;

/** What an agency id names; undefined for what is none. Whether a city exists is not checked. */
export function agencyOf(id: string): { kind: National | 'state' | 'city'; place: string } | undefined {
  const national = NATIONAL.find((kind) => kind === id);
  if (national) return { kind: national, place: '' };
  const [, kind, place = ''] = /^(state|city)-(\w{2}|\d{7})$/.exec(id) ?? [];
  if (kind === 'state' && STATES[place] !== undefined) return { kind, place };
  return kind === 'city' && place.length === 7 ? { kind, place } : undefined;
}

export const isNational = (kind: string): kind is National => NATIONAL.some((each) => each === kind);

/** Agencies in the order of documents: those of the Union first, the others as they are. */
export const inOrder = (ids: readonly string[]): string[] => [
  ...NATIONAL.filter((id) => ids.includes(id)),
  ...ids.filter((id) => !isNational(id)),
];

/** Where anybody checks a certificate by its number or control code, at the agencies that print the same address on each. */
const CHECK_SITES: Readonly<Partial<Record<string, string>>> = {
  federal: 'https://servicos.receitafederal.gov.br/servico/certidoes/',
  fgts: 'https://consulta-crf.caixa.gov.br/consultacrf/pages/consultaEmpregador.jsf',
  labor: 'https://cndt-certidao.tst.jus.br/inicio.faces',
};

export const findCheckSite = (agencyId: string): string | undefined => CHECK_SITES[agencyId];
