// Mutant schemata: a copy of a source file that contains all its mutants, each behind a switch, so that the
// tests start only once.
import ts from 'typescript';

/** @typedef {{ start: number, end: number, text: string, number: number }} Edit */
/** @typedef {{ node: ts.Node, start: number, edits: Edit[] }} Site */

/**
 * Puts every edit behind `globalThis.isMutant?.(number)`, which is true for the active mutant.
 *
 * @param {string} file @param {string} source @param {Edit[]} edits
 */
export function withSwitches(file, source, edits) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  /** @type {Map<ts.Node, Site>} */
  const sites = new Map();
  for (const edit of edits) {
    const node = siteOf(nodeAt(tree, edit));
    const site = sites.get(node) ?? { node, start: node.getStart(tree), edits: [] };
    site.edits.push(edit);
    sites.set(node, site);
  }
  const inOrder = [...sites.values()].toSorted((a, b) => a.start - b.start || b.node.end - a.node.end);

  /**
   * Renders the text from `start` to `end` with its switches.
   *
   * @param {number} start
   * @param {number} end
   * @param {Site[]} within
   * @returns {string}
   */
  const render = (start, end, within) => {
    let text = '';
    let at = start;
    for (let i = 0; i < within.length;) {
      const site = /** @type {Site} */ (within[i]);
      const inner = within.slice(i + 1).filter(({ node }) => node.end <= site.node.end);
      text += source.slice(at, site.start) + withSwitch(site, render(site.start, site.node.end, inner));
      at = site.node.end;
      i += 1 + inner.length;
    }
    return text + source.slice(at, end);
  };

  /** @param {Site} site @param {string} right */
  const withSwitch = ({ node, start, edits: here }, right) => {
    const isExpression = ts.isExpression(node);
    const wrong = here.map(({ number, start: from, end: to, text }) => ({
      when: `globalThis.isMutant?.(${number})`,
      text: source.slice(start, from) + text + source.slice(to, node.end),
    }));
    if (isExpression)
      return `(${wrong.map(({ when, text }) => `${when} ? (${text}) : `).join('')}(${right}))`;
    return `{ ${wrong.map(({ when, text }) => `if (${when}) { ${text} } else `).join('')}{ ${right} } }`;
  };
  return render(0, source.length, inOrder);
}

/** The node that an edit replaces. @param {ts.SourceFile} tree @param {Edit} edit */
function nodeAt(tree, { start, end }) {
  /** @param {ts.Node} node @returns {ts.Node} */
  const within = (node) => {
    const inner = ts.forEachChild(node, (child) =>
      child.getStart(tree) <= start && child.end >= end ? child : undefined,
    );
    return inner ? within(inner) : node;
  };
  return within(tree);
}

/**
 * The innermost enclosing statement or expression that can be put behind a switch.
 *
 * @param {ts.Node} node
 * @returns {ts.Node}
 */
function siteOf(node) {
  return canBeSwitched(node) ? node : siteOf(node.parent);
}

/** @param {ts.Node} node */
function canBeSwitched(node) {
  if (ts.isBlock(node) || ts.isIfStatement(node) || ts.isExpressionStatement(node)) return true;
  if (!ts.isExpression(node)) return false;
  const { parent } = node;
  // an identifier may be a property key or a declaration
  if (ts.isIdentifier(node) && !ts.isCallExpression(parent)) return false;
  if ((ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.expression === node)
    return ts.isIdentifier(node); // a method would lose its `this`
  if (
    ts.isPropertyAccessExpression(parent) ||
    ts.isElementAccessExpression(parent) ||
    ts.isNonNullExpression(parent)
  )
    return !ts.isOptionalChain(parent) && !ts.isNonNullExpression(parent);
  if (
    ts.isDeleteExpression(parent) ||
    ts.isTaggedTemplateExpression(parent) ||
    ts.isExpressionWithTypeArguments(parent) ||
    ts.isTypeNode(parent)
  )
    return false;
  return !(
    ts.isBinaryExpression(parent) &&
    parent.left === node &&
    ts.isAssignmentOperator(parent.operatorToken.kind)
  );
}
