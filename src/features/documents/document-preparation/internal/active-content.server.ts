import { PdfArray, PdfDict, PdfName, PdfRef, PdfStream, type PDF, type PdfObject } from '@libpdf/core';
import { JobRefusal } from '../refusals.server.ts';

/*
 * What makes a document show or do different things in different programs, or at different times: layers, actions,
 * scripts, files in it, content in other files (docs/threat-model.md). It is removed wherever it is, since readers
 * find it in resources, form XObjects, patterns, glyphs and annotations alike.
 */

/** Actions that do more than go to a place in the document. */
const ACTIONS = new Set([
  ...[
    'JavaScript',
    'Launch',
    'ImportData',
    'SubmitForm',
    'ResetForm',
    'Rendition',
    'RichMediaExecute',
    'GoToR',
  ],
  ...['GoToE', 'SetOCGState', 'Movie', 'Sound', 'Hide', 'Trans', 'GoTo3DView', 'Named', 'Thread', 'GoToDp'],
]);
const LAYERS = new Set(['OCG', 'OCMD']);
/** Categories of resources, in which names are chosen freely: a font may be called OC. */
const CATEGORIES = [
  'Font',
  'XObject',
  'ExtGState',
  'ColorSpace',
  'Pattern',
  'Shading',
  'Properties',
  'Fonts',
];
/** From the document: what it does when it is opened, what is not on its pages, and files. */
const CATALOG = [
  ...['OpenAction', 'AA', 'AcroForm', 'Perms', 'DSS', 'OCProperties', 'Collection', 'Requirements', 'AF'],
  ...['NeedsRendering', 'Threads', 'SpiderInfo', 'Legal', 'DPartRoot'],
];
const NAME_TREES = ['JavaScript', 'EmbeddedFiles', 'AlternatePresentations', 'Renditions', 'URLS', 'IDS'];

/** Removes all that is active, and refuses what shows content of another file. */
export function removeActiveContent(pdf: PDF): void {
  const { catalog, registry } = pdf.context;
  const resolve = registry.resolve.bind(registry);
  const root = catalog.getDict();
  for (const name of CATALOG) root.delete(name);
  const names = root.getDict('Names', resolve);
  for (const name of NAME_TREES) names?.delete(name);
  for (const page of pdf.getPages()) page.dict.delete('Annots');
  const { dicts, arrays, maps } = objectsOf(root, resolve);
  for (const dict of dicts) {
    if (maps.has(dict)) continue;
    if (dict instanceof PdfStream && dict.has('F') && dict.get('F', resolve)?.type !== 'null')
      throw new JobRefusal('external-content');
    for (const key of ['AA', 'Alternates', 'OPI', 'AF', 'EF', 'Measure', 'PresSteps']) dict.delete(key);
    if (nameIn(dict, 'Subtype', resolve) === 'Form')
      for (const key of ['Ref', 'PS', 'Subtype2']) dict.delete(key);
    if (isPostScript(dict, resolve)) throw new JobRefusal('external-content');
    const layer = dict.get('OC', resolve);
    if (layer instanceof PdfDict && !(layer instanceof PdfStream)) dict.delete('OC');
  }
  for (const dict of dicts)
    for (const [key] of [...dict]) {
      const value = dict.get(key, resolve);
      if (isLayer(value, resolve) || isAction(value, resolve)) dict.delete(key);
    }
  for (const array of arrays)
    for (let at = array.length - 1; at >= 0; at -= 1) {
      const value = array.at(at, resolve);
      if (isLayer(value, resolve) || isAction(value, resolve)) array.remove(at);
    }
}

/** Refuses a document in which a layer, an action or a file is left, or something that PDFium draws otherwise than others. */
export function assertStatic(pdf: PDF): void {
  const { catalog, registry } = pdf.context;
  const resolve = registry.resolve.bind(registry);
  const root = catalog.getDict();
  if (['OCProperties', 'OpenAction', 'AcroForm'].some((name) => root.has(name)))
    throw new JobRefusal('active-content');
  const { dicts, maps } = objectsOf(root, resolve);
  const isActive = (dict: PdfDict): boolean =>
    isLayer(dict, resolve) ||
    isAction(dict, resolve) ||
    dict.has('JS') ||
    hasTransferFunction(dict, resolve) ||
    (!maps.has(dict) && (dict.has('OC') || dict.has('AA') || dict.has('EF')));
  if (dicts.some(isActive)) throw new JobRefusal('active-content');
}

function isLayer(value: PdfObject | undefined, resolve: (ref: PdfRef) => PdfObject | null): boolean {
  if (!(value instanceof PdfDict) || value instanceof PdfStream) return false;
  return LAYERS.has(nameIn(value, 'Type', resolve) ?? '') || value.has('OCGs') || value.has('VE');
}

const isAction = (value: PdfObject | undefined, resolve: (ref: PdfRef) => PdfObject | null): boolean =>
  value instanceof PdfDict &&
  !(value instanceof PdfStream) &&
  (ACTIONS.has(nameIn(value, 'S', resolve) ?? '') || value.has('JS'));

/** A program for printers, which screens do not show. */
const isPostScript = (dict: PdfDict, resolve: (ref: PdfRef) => PdfObject | null): boolean =>
  dict instanceof PdfStream && nameIn(dict, 'Subtype', resolve) === 'PS';

/** A graphics state that changes colors for one device (ISO 32000-2, 10.5), which PDFium does not do for pictures. */
const hasTransferFunction = (dict: PdfDict, resolve: (ref: PdfRef) => PdfObject | null): boolean =>
  nameIn(dict, 'Type', resolve) === 'ExtGState' &&
  ['TR', 'TR2'].some((key) => {
    const value = dict.get(key, resolve);
    return value !== undefined && value.type !== 'null' && !(value instanceof PdfName);
  });

function nameIn(dict: PdfDict, key: string, resolve: (ref: PdfRef) => PdfObject | null): string | undefined {
  const value = dict.get(key, resolve);
  return value instanceof PdfName ? value.value : undefined;
}

/** All dictionaries and arrays that are reached from the catalog, and which of them are categories of resources. */
function objectsOf(root: PdfDict, resolve: (ref: PdfRef) => PdfObject | null) {
  const [dicts, arrays, maps] = [new Set<PdfDict>(), new Set<PdfArray>(), new Set<PdfDict>()];
  const open: PdfObject[] = [root];
  for (let next = open.pop(); next; next = open.pop()) {
    const object = next instanceof PdfRef ? resolve(next) : next;
    if (object instanceof PdfDict && !dicts.has(object)) {
      dicts.add(object);
      const resources = object.get('Resources', resolve);
      if (resources instanceof PdfDict)
        for (const category of CATEGORIES) {
          const map = resources.get(category, resolve);
          if (map instanceof PdfDict && !(map instanceof PdfStream)) maps.add(map);
        }
      for (const [, value] of object) if (isContainer(value)) open.push(value);
    } else if (object instanceof PdfArray && !arrays.has(object)) {
      arrays.add(object);
      for (const value of object) if (isContainer(value)) open.push(value);
    }
  }
  return { dicts: [...dicts], arrays: [...arrays], maps };
}

const isContainer = (value: PdfObject): boolean =>
  value instanceof PdfRef || value instanceof PdfDict || value instanceof PdfArray;
