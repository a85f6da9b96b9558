import type { FiscalDocument, Party, Role } from '../fiscal-xml.ts';
import { plainNumber } from './documents.server.ts';
import { factsOf, othersIn, sectionOf, type Field } from './fields.server.ts';
import { AUTHORITY_NOT_ASKED } from './proofs.server.ts';
import { totalsOf } from './totals.server.ts';
import { child, children, firstText, text, type XmlElement } from '../xml.server.ts';

/*
 * NFS-e of cities: the layout of ABRASF in its versions, and that of São Paulo. They have no key, and cities sign them in
 * ways of their own, so that nothing is claimed about who made them.
 */

/** ABRASF: Nfse/InfNfse; version 2 has the declaration of the provider in it. */
export function readAbrasf(document: XmlElement, inf: XmlElement): FiscalDocument {
  const declared = child(inf, 'DeclaracaoPrestacaoServico.InfDeclaracaoPrestacaoServico') ?? inf;
  const values = child(declared, 'Servico.Valores');
  const isCancelled =
    document.parent !== undefined && children(document.parent, 'NfseCancelamento').length > 0;
  const provider = child(inf, 'PrestadorServico') ?? child(declared, 'Prestador');
  const taker =
    child(declared, 'TomadorServico') ?? child(declared, 'Tomador') ?? child(inf, 'TomadorServico');
  const withheld = ['ValorPis', 'ValorCofins', 'ValorInss', 'ValorIr', 'ValorCsll', 'OutrasRetencoes'];
  const issWithheld =
    firstText(values, 'IssRetido') === '1' || text(declared, 'Servico.IssRetido') === '1'
      ? firstText(values, 'ValorIssRetido', 'ValorIss') || text(inf, 'ValoresNfse.ValorIss')
      : '';
  return cityDocument(inf, {
    number: text(inf, 'Numero'),
    issuedAt: firstText(inf, 'DataEmissao'),
    isCancelled,
    facts: [
      ...factsOf(inf, [['verificationCode', 'CodigoVerificacao']]),
      ...factsOf(declared, [['month', 'Competencia', 'date']]),
    ],
    parties: [
      ...partyOf('provider', provider, declared === inf ? undefined : child(declared, 'Prestador')),
      ...partyOf('taker', taker, undefined),
    ],
    totals: totalsOf(
      {
        sumServices: text(values, 'ValorServicos'),
        sumUnconditionalDiscount: text(values, 'DescontoIncondicionado'),
        sumWithheld: [...withheld.map((name) => text(values, name)), issWithheld]
          .reduce((sum, amount) => sum + (Number(amount) || 0), 0)
          .toFixed(2),
        sumIssBase: firstText(inf, 'ValoresNfse.BaseCalculo') || text(values, 'BaseCalculo'),
        sumIss: firstText(inf, 'ValoresNfse.ValorIss') || text(values, 'ValorIss'),
      },
      firstText(inf, 'ValoresNfse.ValorLiquidoNfse') ||
        firstText(values, 'ValorLiquidoNfse', 'ValorServicos'),
    ),
    sections: [
      ...sectionOf('service', factsOf(child(declared, 'Servico'), SERVICE)),
      ...sectionOf('withheld', factsOf(values, WITHHELD)),
    ],
    notes: [{ title: '', text: text(inf, 'OutrasInformacoes') }].filter((note) => note.text !== ''),
  });
}

const SERVICE: readonly Field[] = [
  ['description', 'Discriminacao'],
  ['serviceCode', 'ItemListaServico'],
  ['cityServiceCode', 'CodigoTributacaoMunicipio'],
  ['rate', 'Valores.Aliquota'],
  ['deductions', 'Valores.ValorDeducoes', 'money'],
];
const WITHHELD: readonly Field[] = [
  ['sumPis', 'ValorPis', 'money'],
  ['sumCofins', 'ValorCofins', 'money'],
  ['socialSecurity', 'ValorInss', 'money'],
  ['irrf', 'ValorIr', 'money'],
  ['csll', 'ValorCsll', 'money'],
];

/** São Paulo: NFe with a ChaveNFe in it. */
export function readSaoPaulo(_: XmlElement, inf: XmlElement): FiscalDocument {
  const party = (role: Role, suffix: string, address: string): Party[] => {
    const name = text(inf, `RazaoSocial${suffix}`);
    const taxId = firstText(inf, `CPFCNPJ${suffix}.CNPJ`, `CPFCNPJ${suffix}.CPF`);
    const at = child(inf, address);
    return name === '' && taxId === ''
      ? []
      : [{ role, name, taxId, stateId: '', address: addressOf(at), isTaker: false, facts: [] }];
  };
  return cityDocument(inf, {
    number: text(inf, 'ChaveNFe.NumeroNFe'),
    issuedAt: text(inf, 'DataEmissaoNFe'),
    isCancelled: text(inf, 'StatusNFe') === 'C',
    facts: factsOf(inf, [['verificationCode', 'ChaveNFe.CodigoVerificacao']]),
    parties: [
      ...party('provider', 'Prestador', 'EnderecoPrestador'),
      ...party('taker', 'Tomador', 'EnderecoTomador'),
    ],
    totals: totalsOf(
      { sumServices: text(inf, 'ValorServicos'), sumIss: text(inf, 'ValorISS') },
      text(inf, 'ValorServicos'),
    ),
    sections: sectionOf(
      'service',
      factsOf(inf, [
        ['description', 'Discriminacao'],
        ['serviceCode', 'CodigoServico'],
        ['rate', 'AliquotaServicos'],
      ]),
    ),
    notes: [],
  });
}

type CityFields = Pick<
  FiscalDocument,
  'number' | 'issuedAt' | 'facts' | 'parties' | 'totals' | 'sections' | 'notes'
> & {
  isCancelled: boolean;
};

const cityDocument = (inf: XmlElement, { isCancelled, number, ...fields }: CityFields): FiscalDocument => ({
  kind: 'NFS-e',
  ...fields,
  number: plainNumber(number),
  isSummary: false,
  key: '',
  keyHolds: false,
  series: '',
  nature: '',
  isTest: false,
  state: isCancelled ? 'cancelled' : 'unproven',
  stateAt: '',
  signature: { state: 'none' },
  proofs: [{ result: 'open', text: 'cityUnproven' }, AUTHORITY_NOT_ASKED],
  items: [],
  itemsLeftOut: 0,
  qrCode: '',
  events: [],
  others: othersIn(inf),
});

/** A party whose name and number may be in two places. */
function partyOf(role: Role, person: XmlElement | undefined, other: XmlElement | undefined): Party[] {
  const taxId = [person, other]
    .map((each) =>
      firstText(
        each,
        ...['', 'IdentificacaoPrestador.', 'IdentificacaoTomador.'].flatMap((prefix) =>
          ['CpfCnpj.Cnpj', 'CpfCnpj.Cpf', 'Cnpj', 'Cpf'].map((path) => prefix + path),
        ),
      ),
    )
    .find((each) => each !== '');
  const name = firstText(person, 'RazaoSocial') || text(other, 'RazaoSocial');
  if (name === '' && taxId === undefined) return [];
  const address = child(person, 'Endereco');
  return [
    {
      role,
      name,
      taxId: taxId ?? '',
      stateId: '',
      address: addressOf(address),
      isTaker: false,
      facts: factsOf(person, [
        ['tradeName', 'NomeFantasia'],
        ['cityId', 'IdentificacaoPrestador.InscricaoMunicipal'],
        ['cityId', 'IdentificacaoTomador.InscricaoMunicipal'],
        ['phone', 'Contato.Telefone'],
        ['email', 'Contato.Email'],
      ]),
    },
  ];
}

const addressOf = (address: XmlElement | undefined): string =>
  [
    [
      firstText(address, 'Endereco', 'Logradouro', 'xLgr'),
      firstText(address, 'Numero', 'NumeroEndereco'),
      firstText(address, 'Complemento', 'ComplementoEndereco'),
      text(address, 'Bairro'),
    ]
      .filter(Boolean)
      .join(', '),
    firstText(address, 'Uf', 'UF'),
    firstText(address, 'Cep', 'CEP').replace(/^(\d{5})(\d{3})$/, '$1-$2'),
  ]
    .filter(Boolean)
    .join(' · ');
