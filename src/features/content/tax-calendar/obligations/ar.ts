import { rulesOf } from './define.ts';

/* The resolution of each year decides: a year is confirmed once its table was compared with these rules. */
const FROM_MEMORY = { source: '' } as const;
const THREE_GROUPS = ['0123', '456', '789'] as const;
const FIVE_GROUPS = ['01', '23', '45', '67', '89'] as const;
const shared = {
  authority: 'ARCA',
  law: 'Resolución general anual de vencimientos',
  source: 'Tablas publicadas de 2020 y enero de 2026',
  roll: 'after',
  confirmed: [],
} as const;

export const AR = rulesOf('ar', shared, [
  {
    key: 'ar-auto',
    name: 'Autónomos',
    kind: 'pay',
    when: { selfEmployed: ['yes'] },
    period: { every: 'month' },
    due: { block: 5, months: 1, groups: THREE_GROUPS },
  },
  {
    key: 'ar-suss',
    name: 'F. 931 (SUSS)',
    kind: 'file',
    when: { employees: ['yes'] },
    period: { every: 'month' },
    due: { block: 9, months: 1, groups: THREE_GROUPS },
  },
  {
    key: 'ar-iva',
    name: 'IVA y Libro IVA Digital',
    kind: 'file',
    when: { regime: ['general'] },
    period: { every: 'month' },
    due: { block: 18, months: 1, groups: FIVE_GROUPS },
  },
  {
    key: 'ar-iva-pyme',
    ...FROM_MEMORY,
    name: 'IVA diferido (MiPyME)',
    kind: 'pay',
    when: { regime: ['general'], deferredVat: ['yes'] },
    period: { every: 'month' },
    due: { block: 18, months: 2, groups: FIVE_GROUPS },
  },
  {
    key: 'ar-mono',
    name: 'Monotributo',
    kind: 'pay',
    when: { regime: ['monotributo'] },
    period: { every: 'month' },
    due: { day: 20, months: 0 },
  },
  {
    key: 'ar-casas',
    name: 'Personal de casas particulares (F. 102/RT)',
    kind: 'pay',
    when: { domesticWorkers: ['yes'] },
    period: { every: 'month' },
    due: { day: 10, months: 1 },
  },
  {
    key: 'ar-gan-soc',
    ...FROM_MEMORY,
    name: 'Ganancias sociedades',
    kind: 'file',
    when: { entity: ['company'], regime: ['general'] },
    period: { every: 'tax year' },
    due: { block: 13, months: 5, groups: THREE_GROUPS },
  },
  {
    key: 'ar-iibb-cm',
    ...FROM_MEMORY,
    name: 'Ingresos brutos (Convenio Multilateral)',
    authority: 'Comisión Arbitral',
    kind: 'file',
    when: { multilateral: ['yes'] },
    period: { every: 'month' },
    due: { block: 13, months: 1, groups: FIVE_GROUPS },
  },
  {
    key: 'ar-libro-exento',
    name: 'Libro IVA Digital (exento)',
    kind: 'file',
    when: { regime: ['exempt'] },
    period: { every: 'month' },
    due: { days: 15 },
    roll: 'none',
  },
]);
