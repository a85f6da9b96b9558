import type { Actor } from '#features/base/people/people.ts';
import { DAY } from '#platform/runtime/clock.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import type { Recipients } from './audience.server.ts';
import { openArticle } from './reading.server.ts';
import { createArticle, publishArticle, saveSettings } from './writing.server.ts';

/* What the firms of the demo tell their clients. */

interface News extends Recipients {
  lang: Lang;
  title: string;
  summary: string;
  body: string;
}

const EVERYBODY = { audience: 'all', values: [] } as const;

const BRAZILIAN_NEWS: readonly News[] = [
  {
    lang: 'pt',
    ...EVERYBODY,
    title: 'Expediente de fim de ano',
    summary: 'Fechamos de 24 de dezembro a 3 de janeiro. Envie os documentos de novembro até o dia 10.',
    body: `Nosso escritório estará fechado **de 24 de dezembro a 3 de janeiro**.

## O que enviar antes

- Extratos bancários de novembro
- Notas de serviços tomados
- Lançamentos da folha e férias de dezembro

## Em caso de urgência

Escreva para [plantao@aurora.example](mailto:plantao@aurora.example). Respondemos no mesmo dia.`,
  },
  {
    lang: 'pt',
    audience: 'tags',
    values: ['Folha'],
    title: 'Décimo terceiro: datas de pagamento',
    summary: 'A primeira parcela vence em 30 de novembro e a segunda em 20 de dezembro.',
    body: `Quando a data cai em dia sem expediente bancário, o pagamento é **antecipado**.

| Parcela | Até quando |
| --- | --- |
| Primeira | 30 de novembro |
| Segunda | 18 de dezembro (sexta-feira) |

Confira a folha na pasta *Folha de pagamento* e avise se algo mudou.`,
  },
  {
    lang: 'pt',
    ...EVERYBODY,
    title: 'CNPJ com letras: o que muda para a sua empresa',
    summary: 'Os novos números podem ter letras. O seu continua igual.',
    body: `Desde julho de 2026, novas inscrições no CNPJ podem ter **letras e números**.

1. O CNPJ da sua empresa não muda.
2. Fornecedores novos podem ter letras no CNPJ.
3. Verifique se o seu sistema de vendas aceita esses números.

> Em dúvida, envie uma mensagem antes de recusar uma nota.`,
  },
];

const AMERICAN_NEWS: News = {
  lang: 'en-us',
  ...EVERYBODY,
  title: 'Getting ready for tax season',
  summary: 'Three things you can do in November so that your return is filed early.',
  body: `The filing season opens in January. **The sooner your papers are complete, the sooner you’re done.**

## Three things for November

1. Check the address and bank account that we have for you.
2. Look through *Documents* for anything from last year that is missing.
3. Tell us about what changed: a move, a marriage, a new business.

Reply to any request in the portal, or write to [office@maplehart.example](mailto:office@maplehart.example).`,
};

export const story: Contributions['story'] = {
  americanFirm: ({ firm }, { firstDay, later }) => later(firstDay, () => publish(firm, AMERICAN_NEWS)),
  // three articles of her accountants, of which Ana has read all but the last
  ana: ({ firm, ana }, { firstDay, later }) =>
    later(firstDay + 3 * DAY, async () => {
      const ids: string[] = [];
      for (const news of BRAZILIAN_NEWS) ids.push(await publish(firm, news));
      later(firstDay + 4 * DAY, async () => {
        for (const id of ids.slice(0, -1)) await openArticle(ana, id, 'pt');
      });
    }),
};

/** Nobody is sent an email: the mailbox of the demo has one of each kind that people ask for. */
async function publish(firm: Actor, { audience, values, ...text }: News): Promise<string> {
  const id = await createArticle(firm, text);
  await saveSettings(firm, id, 1, { audience, values, expireAt: null, isPinned: false });
  await publishArticle(firm, id, 2, { publishAt: undefined, notifies: false });
  return id;
}
