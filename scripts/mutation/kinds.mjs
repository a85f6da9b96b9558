// The mutations of mutation-test.mjs: where a scope, a guard or a role can be lost.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from '../toolchain.mjs';
import { whyEquivalent } from './equivalent.mjs';

/** @typedef {{ file: string, start: number, end: number, text: string, kind: string }} Mutant */

/** Files without any authorization. */
const IMPERSONAL =
  /\/(world|mails|signatures|multipart|oidc-adapter|common-passwords|pdfium|pdf-worker|worker|fiscal|table)\.server\.ts$/;
const FEATURES = globSync('src/features/*/*/{,internal/}*.server.ts', { cwd: root })
  .filter((file) => !IMPERSONAL.test(file))
  .concat('src/api.server.ts', 'src/platform/http/cookies.server.ts');
const CONTRACTS = globSync('src/features/*/*/*.ts', { cwd: root }).filter(
  (file) => path.basename(file, '.ts') === path.basename(path.dirname(file)),
);
const PAGES = [
  'src/platform/http/http-security.server.ts',
  'src/server.ts',
  'src/routes.ts',
  'src/middleware.ts',
  ...globSync('src/{pages,layouts}/**/*.{astro,ts}', { cwd: root }),
];

/** Conditions about authorization mention one of these. */
const RIGHTS =
  /actor|session|staff|contact|client|company|firm|visit|recipient|token|expire|revok|delet|locked|row\b|place|account|user|code|mfa|ticket|transaction|demo|who\b|documents?\b|ids\b|named|container|seen|isOver|sender|host|site|origin|permission|own\b/i;
/** Functions without authorization decisions. */
const IRRELEVANT =
  /^(nextFreeName|nameStart|nameConflict|typeFor|insertUnderFreeName|present\w*|welcomeText|shareMail|senderMail|createFirm|firmForVisitor|themeStylesheet|backToPage|bodyOf|startMailbox|stopMailbox|issuer|embeddedIssuer|signingKey|createProvider|stop|sweep|fillDemoWorld|startDemo|loggable|overwriteForwardedHeaders)$/;

/** Statements that refuse access by throwing. */
const CHECKS = /^(await )?(assert\w*|check\w*|GUARDS\[|actorIn|consume|sessionOf|limited)/;

/** @type {Partial<Record<ts.SyntaxKind, string>>} */
const INVERTED = {
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [ts.SyntaxKind.LessThanToken]: '>=',
  [ts.SyntaxKind.LessThanEqualsToken]: '>',
  [ts.SyntaxKind.GreaterThanToken]: '<=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '<',
};

/**
 * All mutants of the features, or of pages, middleware and request handling, except equivalent ones.
 *
 * @param {boolean} inPages
 */
export function allMutants(inPages) {
  const mutants = (inPages ? PAGES : [...FEATURES, ...CONTRACTS]).flatMap((file) => mutantsIn(file));
  /** @type {Map<string, number>} */
  const occurrences = new Map();
  return mutants
    .map((mutant) => {
      // identifies it as long as the source line stays the same
      const key = `${mutant.file} | ${mutant.kind} | ${textOf(mutant)}`;
      const nth = (occurrences.get(key) ?? 0) + 1;
      occurrences.set(key, nth);
      return { ...mutant, key: nth === 1 ? key : `${key} (${nth})` };
    })
    .filter((mutant) => whyEquivalent(mutant) === undefined);
}

/** @param {Mutant} mutant */
const textOf = ({ file, start, end }) =>
  readFileSync(path.join(root, file), 'utf8').slice(start, end).replaceAll(/\s+/g, ' ');

/** @param {string} file @returns {Mutant[]} */
function mutantsIn(file) {
  const source = readFileSync(path.join(root, file), 'utf8');
  const [script, offset] = file.endsWith('.astro')
    ? [/^---\n([\s\S]*?)\n---/.exec(source)?.[1] ?? '', 4]
    : [source, 0];
  const tree = ts.createSourceFile(file, script, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  /** @type {Mutant[]} */
  const found = [];
  /** @param {ts.Node} node @param {string} kind @param {string} text */
  const mutate = (node, kind, text) => {
    const [start, end] = [node.getStart(tree), node.end];
    if (parses(script.slice(0, start) + text + script.slice(end)))
      found.push({ file, start: start + offset, end: end + offset, text, kind });
  };
  /** @param {ts.Node} node */
  const walk = (node) => {
    if (IRRELEVANT.test(nameOfFunction(node))) return;
    if (file === 'src/routes.ts' || file.endsWith('/feature.server.ts')) widenRole(node, mutate);
    else if (CONTRACTS.includes(file)) allowUnknownFields(node, mutate, tree);
    else {
      dropScope(node, mutate, tree);
      dropGuard(node, mutate, tree);
      changeCondition(node, mutate, tree);
      returnConstant(node, mutate);
    }
    ts.forEachChild(node, walk);
  };
  walk(tree);
  return found;
}

/** @param {string} text */
function parses(text) {
  const { diagnostics = [] } = ts.transpileModule(text, {
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
  });
  return diagnostics.length === 0;
}

/** @param {ts.Node} node @returns {string} */
function nameOfFunction(node) {
  if (ts.isFunctionDeclaration(node)) return node.name?.text ?? '';
  return ts.isVariableDeclaration(node) &&
    ts.isIdentifier(node.name) &&
    node.initializer &&
    ts.isArrowFunction(node.initializer)
    ? node.name.text
    : '';
}

/** @typedef {(node: ts.Node, kind: string, text: string) => void} Mutate */

/**
 * Removes the session or demo requirement of a page or call.
 *
 * @param {ts.Node} node
 * @param {Mutate} mutate
 */
function widenRole(node, mutate) {
  if (
    !ts.isStringLiteral(node) ||
    !['signed-in', 'demo'].includes(node.text) ||
    !ts.isPropertyAssignment(node.parent) ||
    node.parent.name.getText() !== 'who'
  )
    return;
  mutate(node, 'role widened', `'visitor'`);
}

/**
 * Makes a contract accept unknown fields.
 *
 * @param {ts.Node} node
 * @param {Mutate} mutate
 * @param {ts.SourceFile} tree
 */
function allowUnknownFields(node, mutate, tree) {
  if (!ts.isIdentifier(node) || node.text !== 'strictObject') return;
  const declaration = ts.findAncestor(node, ts.isVariableStatement)?.getText(tree) ?? '';
  if (/const (\w*(Query|Request|Order)|new\w+|credentials) =/.test(declaration))
    mutate(node, 'unknown fields allowed', 'object');
}

/**
 * Drops one condition of a query.
 *
 * @param {ts.Node} node
 * @param {Mutate} mutate
 * @param {ts.SourceFile} tree
 */
function dropScope(node, mutate, tree) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
  const name = node.expression.name.text;
  if (['where', 'whereRef', '$if'].includes(name))
    mutate(node, `${name} dropped`, node.expression.expression.getText(tree));
}

/**
 * Drops a guard statement.
 *
 * @param {ts.Node} node
 * @param {Mutate} mutate
 * @param {ts.SourceFile} tree
 */
function dropGuard(node, mutate, tree) {
  if (
    ts.isIfStatement(node) &&
    !node.elseStatement &&
    refuses(node.thenStatement) &&
    RIGHTS.test(node.expression.getText(tree))
  )
    mutate(node, 'guard dropped', '');
  if (ts.isExpressionStatement(node) && CHECKS.test(node.expression.getText(tree)))
    mutate(node, 'check dropped', '');
}

/** @param {ts.Statement} statement @returns {boolean} */
function refuses(statement) {
  if (ts.isBlock(statement)) return statement.statements.some((one) => refuses(one));
  return ts.isThrowStatement(statement) || ts.isReturnStatement(statement);
}

/**
 * Changes a condition.
 *
 * @param {ts.Node} node
 * @param {Mutate} mutate
 * @param {ts.SourceFile} tree
 */
function changeCondition(node, mutate, tree) {
  if (
    ts.isPrefixUnaryExpression(node) &&
    node.operator === ts.SyntaxKind.ExclamationToken &&
    RIGHTS.test(node.getText(tree))
  )
    mutate(node, 'not dropped', node.operand.getText(tree));
  if (!ts.isBinaryExpression(node) || !RIGHTS.test(node.getText(tree))) return;
  const [left, right] = [node.left.getText(tree), node.right.getText(tree)];
  const kind = node.operatorToken.kind;
  const inverted = INVERTED[kind];
  if (inverted) mutate(node, 'comparison inverted', `${left} ${inverted} ${right}`);
  if (kind !== ts.SyntaxKind.AmpersandAmpersandToken && kind !== ts.SyntaxKind.BarBarToken) return;
  if (
    ts.isReturnStatement(node.parent) ||
    ts.isConditionalExpression(node.parent) ||
    ts.isIfStatement(node.parent) ||
    ts.isArrowFunction(node.parent) ||
    ts.isVariableDeclaration(node.parent) ||
    ts.isBinaryExpression(node.parent) ||
    ts.isParenthesizedExpression(node.parent)
  ) {
    mutate(
      node,
      kind === ts.SyntaxKind.BarBarToken ? '|| replaced by &&' : '&& replaced by ||',
      `(${left}) ${kind === ts.SyntaxKind.BarBarToken ? '&&' : '||'} (${right})`,
    );
    mutate(node, 'left operand only', `(${left})`);
    mutate(node, 'right operand only', `(${right})`);
  }
}

/** Makes a boolean function always return true or false. @param {ts.Node} node @param {Mutate} mutate */
function returnConstant(node, mutate) {
  if (!ts.isFunctionDeclaration(node) && !ts.isArrowFunction(node)) return;
  const type = node.type?.getText() ?? '';
  if (!/^(Promise<)?boolean>?$/.test(type) || !node.body) return;
  for (const answer of ['true', 'false']) {
    const value =
      type.startsWith('Promise') && !node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword)
        ? `Promise.resolve(${answer})`
        : answer;
    mutate(node.body, `always ${answer}`, ts.isBlock(node.body) ? `{ return ${value}; }` : value);
  }
}
