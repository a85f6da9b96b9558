import type { Lang } from '#platform/text/languages.ts';

/** Words of questions that say nothing of their subject, without accents, by the first part of the language. */
const STOP_WORDS: Readonly<Record<string, string>> = {
  en: 'a about all am an and any are as at be been by can cannot did do does doing don for from get getting got had has have how i if in into is isn it its me mine my not of on or our s see so t that the their them there these they this those to up was we what when where which who whom why will with you your',
  pt: 'a ao aos as com como da das de do dos e em esta estao esse eu faco fazer foi isso isto ja la mas me meu meus minha minhas na nao nas no nos num numa o onde os ou para pelo por porque posso pra quais qual quando que quem quero se sem ser seu sua sao tem tenho ter um uma vai vou voce',
  es: 'a al algo como con cual cuando de del desde donde e el ella en era es esa ese eso esta estan este esto hace hacer hago hay la las le les lo los me mi mis no nos o para pero por porque puedo que quien quiero se ser si sin sobre son su sus tengo tiene tu un una unas uno unos y ya yo',
  fr: 'a ai ainsi ne pas au aux avec c ce ces cela cette comment d dans de des dois du elle en est et etre faire fait il ils j je l la le les leur lui m ma mais me mes mon n nos notre nous on ont ou par peut peux plus pour pourquoi puis qu quand que quel quelle qui quoi s sa se ses si son sont sur t un une veux vos votre vous y',
};

const byLanguage = new Map<string, ReadonlySet<string>>();

/** The words of a search that say what it is about; all of them if none does. */
export function subjectOf(lang: Lang, words: readonly string[]): readonly string[] {
  const base = lang.slice(0, 2);
  const ignored = byLanguage.get(base) ?? new Set((STOP_WORDS[base] ?? '').split(' '));
  byLanguage.set(base, ignored);
  const telling = words.filter((word) => !ignored.has(word));
  return telling.length > 0 ? telling : words;
}
