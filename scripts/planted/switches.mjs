// A copy of a source in which each fault is a switch: the tests begin once for all faults, and only the switch is turned for each.
import ts from 'typescript';

/** @typedef {{ start: number, end: number, text: string, number: number }} Edit */
/** @typedef {{ node: ts.Node, start: number, edits: Edit[] }} Place */

/**
 * The source with every edit behind `globalThis.planted?.(number)`, which says whether it is the one that is wanted.
 * @param {string} file @param {string} source @param {Edit[]} edits
 */
export function switched(file, source, edits) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  /** @type {Map<ts.Node, Place>} */
  const places = new Map();
  for (const edit of edits) {
    const node = placeOf(nodeAt(tree, edit));
    const place = places.get(node) ?? { node, start: node.getStart(tree), edits: [] };
    place.edits.push(edit);
    places.set(node, place);
  }
  const inOrder = [...places.values()].toSorted((a, b) => a.start - b.start || b.node.end - a.node.end);

  /** The text from `start` to `end` with the switches of the places within. @param {number} start @param {number} end @param {Place[]} within @returns {string} */
  const render = (start, end, within) => {
    let text = '';
    let at = start;
    for (let i = 0; i < within.length; ) {
      const place = /** @type {Place} */ (within[i]);
      const inner = within.slice(i + 1).filter(({ node }) => node.end <= place.node.end);
      text += source.slice(at, place.start) + withSwitch(place, render(place.start, place.node.end, inner));
      at = place.node.end;
      i += 1 + inner.length;
    }
    return text + source.slice(at, end);
  };

  /** @param {Place} place @param {string} right */
  const withSwitch = ({ node, start, edits: here }, right) => {
    const isExpression = ts.isExpression(node);
    const wrong = here.map(({ number, start: from, end: to, text }) => ({ when: `globalThis.planted?.(${number})`, text: source.slice(start, from) + text + source.slice(to, node.end) }));
    if (isExpression) return `(${wrong.map(({ when, text }) => `${when} ? (${text}) : `).join('')}(${right}))`;
    return `{ ${wrong.map(({ when, text }) => `if (${when}) { ${text} } else `).join('')}{ ${right} } }`;
  };
  return render(0, source.length, inOrder);
}

/** The node that an edit is about. @param {ts.SourceFile} tree @param {Edit} edit */
function nodeAt(tree, { start, end }) {
  /** @param {ts.Node} node @returns {ts.Node} */
  const within = (node) => {
    const child = ts.forEachChild(node, (one) => (one.getStart(tree) <= start && one.end >= end ? one : undefined));
    return child ? within(child) : node;
  };
  return within(tree);
}

/** The innermost statement or expression around it that can stand behind a switch. @param {ts.Node} node @returns {ts.Node} */
function placeOf(node) {
  return canBeSwitched(node) ? node : placeOf(node.parent);
}

/** @param {ts.Node} node */
function canBeSwitched(node) {
  if (ts.isBlock(node) || ts.isIfStatement(node) || ts.isExpressionStatement(node)) return true;
  if (!ts.isExpression(node)) return false;
  const { parent } = node;
  if (ts.isIdentifier(node) && !ts.isCallExpression(parent)) return false; // a name may be a key or a declaration
  if ((ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.expression === node) return ts.isIdentifier(node); // of a method, its `this` would be lost
  if (ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent) || ts.isNonNullExpression(parent)) return !ts.isOptionalChain(parent) && !ts.isNonNullExpression(parent);
  if (ts.isDeleteExpression(parent) || ts.isTaggedTemplateExpression(parent) || ts.isExpressionWithTypeArguments(parent) || ts.isTypeNode(parent)) return false;
  return !(ts.isBinaryExpression(parent) && parent.left === node && ts.isAssignmentOperator(parent.operatorToken.kind));
}
