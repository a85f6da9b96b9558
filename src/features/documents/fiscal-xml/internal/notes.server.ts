import type { FiscalDocument } from '../fiscal-xml.ts';
import { children, elementsIn, ownText, text, type XmlElement } from '../xml.server.ts';

/** Texts for the recipient and the authority, free fields with their names, and lawsuits that a document is about. */
export function notesOf(group: XmlElement | undefined): FiscalDocument['notes'] {
  const plain = ['infCpl', 'infAdFisco', 'xObs', 'xOutInf', 'xInfComp'].map((name) => ({
    title: '',
    text: children(group, name).map(ownText).join('\n'),
  }));
  const named = elementsIn(group)
    .filter(({ name }) => /^obs(?:Cont|Fisco)$/i.test(name))
    .map((each) => ({ title: text(each, '@xCampo'), text: text(each, 'xTexto') }));
  const processes = children(group, 'procRef').map((each) => ({ title: '', text: text(each, 'nProc') }));
  return [...plain, ...named, ...processes].filter((note) => note.text !== '');
}
