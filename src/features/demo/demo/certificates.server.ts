import type { Actor } from '#features/base/people/people.ts';
import { fileCertificates } from '#features/brazil/clearance-certificates/filing.server.ts';
import { followAgency } from '#features/brazil/clearance-certificates/following.server.ts';
import { DEFAULT_DAYS } from '#features/brazil/clearance-passport/clearance-passport.ts';
import { makePassport } from '#features/brazil/clearance-passport/passports.server.ts';
import { composePdf } from '#features/documents/seals/composing.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { addDays, dayOf } from '#platform/text/time-zones.ts';

/*
 * The clearance certificates of the bakery in the demo: one is valid, one expires in some days, one has expired, and none of
 * its state is there yet. They are made up, in the words of the real ones.
 */

const CNPJ = '99.304.518/0001-86';
const NAME = 'PADARIA SOL NASCENTE LTDA';

interface Certificate {
  file: string;
  title: string;
  facts: readonly (readonly [label: string, value: string])[];
}

/** Follows four agencies, and files the certificates of three, as on the day of the clock. */
export async function bakeryCertificates(firm: Actor, clientId: string): Promise<void> {
  for (const agencyId of ['federal', 'fgts', 'labor', 'state-SP'])
    await followAgency(firm, {
      clientId,
      agencyId,
      renewBeforeDays: 15,
      notifiesClient: agencyId === 'fgts',
    });
  const files: { name: string; bytes: Buffer }[] = [];
  for (const certificate of certificatesOn(dayOf(now(), 'UTC')))
    files.push({ name: certificate.file, bytes: await pdfOf(firm, certificate) });
  await fileCertificates(firm, files);
}

/** A link of the bakery for its bank to the two certificates that it asks for. */
export const bakeryPassport = async (ana: Actor, clientId: string): Promise<void> => {
  await makePassport(ana, {
    clientId,
    recipient: 'Banco do Vale',
    agencyIds: ['federal', 'fgts'],
    endsOn: addDays(dayOf(now(), 'UTC'), DEFAULT_DAYS),
  });
};

function certificatesOn(today: string): Certificate[] {
  const day = (days: number): string => addDays(today, days).split('-').toReversed().join('/');
  return [
    {
      file: 'certidao-federal.pdf',
      title: 'Certidão negativa de débitos relativos aos tributos federais e à dívida ativa da União',
      facts: [
        ['Nome', NAME],
        ['CNPJ', CNPJ],
        ['Emissão', day(-20)],
        ['Válida até', day(160)],
        ['Código de controle da certidão', '4F2A.90C1.77DE.08B3'],
      ],
    },
    {
      file: 'crf.pdf',
      title: 'Certificado de Regularidade do FGTS - CRF',
      facts: [
        ['Inscrição', CNPJ],
        ['Razão social', NAME],
        ['Validade', `${day(-23)} a ${day(6)}`],
        ['Certificação Número', '2026110401284719203641'],
      ],
    },
    {
      file: 'cndt.pdf',
      title: 'Certidão negativa de débitos trabalhistas',
      facts: [
        ['Nome', NAME],
        ['CNPJ', CNPJ],
        ['Certidão nº', '41907733/2026'],
        ['Expedição', day(-192)],
        ['Validade', day(-12)],
      ],
    },
  ];
}

async function pdfOf(firm: Actor, { title, facts }: Certificate): Promise<Buffer> {
  const items = facts.map(([label, value]) => ({ label, value }));
  const lead = 'Exemplo para demonstração, sem valor.';
  const content = {
    language: 'pt-BR',
    title,
    lead,
    sections: [{ kind: 'list' as const, title: 'Dados', items }],
    footer: lead,
  };
  return Buffer.from(await composePdf(firm, content, 'a4'));
}
