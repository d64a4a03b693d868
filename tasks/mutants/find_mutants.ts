import ts from "typescript";

/** A small change of a source file. */
export interface Mutant {
  readonly file: string;
  /** Line of the replaced code, from 1. */
  readonly line: number;
  /** First line of the expression or statement that contains it. */
  readonly firstLine: number;
  /** Offset of the replaced code in the file. */
  readonly offset: number;
  readonly code: string;
  readonly replacement: string;
}

/** Operators that replace another one. */
const OPERATORS: Readonly<Record<string, string>> = {
  "&&": "||",
  "||": "&&",
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
};

/** Finds all mutants of a source file. Some of them do not compile. */
export function findMutants(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const findLine = (node: ts.Node) => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  const visit = (node: ts.Node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    for (const [replaced, replacement] of listReplacements(node)) {
      mutants.push({
        file,
        line: findLine(replaced),
        firstLine: findLine(node),
        offset: replaced.getStart(source),
        code: replaced.getText(source),
        replacement,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return mutants;
}

/** Applies a mutant to the text of its file. */
export function applyMutant(text: string, { offset, code, replacement }: Mutant): string {
  return text.slice(0, offset) + replacement + text.slice(offset + code.length);
}

/** Lists the nodes that can be replaced to change this one, with their replacements. */
function listReplacements(node: ts.Node): [replaced: ts.Node, replacement: string][] {
  if (ts.isBinaryExpression(node)) return listBinaryReplacements(node);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return [[node, node.operand.getText()]];
  }
  if (ts.isConditionalExpression(node)) return [[node, node.whenTrue.getText()], [node, node.whenFalse.getText()]];
  if (ts.isIfStatement(node)) return [[node.expression, "false"], [node.expression, "true"]];
  if (ts.isNumericLiteral(node)) return [[node, String(Number(node.text) + 1)]];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [[node, "false"]];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [[node, "true"]];
  if (ts.isExpressionStatement(node)) return [[node, ";"]];
  return [];
}

function listBinaryReplacements(node: ts.BinaryExpression): [replaced: ts.Node, replacement: string][] {
  const operator = node.operatorToken.getText();
  const other = OPERATORS[operator];
  const replacements: [ts.Node, string][] = other === undefined ? [] : [[node.operatorToken, other]];
  if (["&&", "||", "??"].includes(operator)) {
    replacements.push([node, node.left.getText()], [node, node.right.getText()]);
  }
  return replacements;
}
