// vscode.js - loads the extension for VS Code with a stand-in for VS Code's interface, and lets it talk to
// `accdeep lsp`. node tests/lsp/vscode.js ACCDEEP: the exit status is 1 if a check fails.
'use strict';

const assert = require('assert');
const fs = require('fs');
const Module = require('module');
const path = require('path');

const program = process.argv[2];
const folder = path.join(__dirname, '../../lua/package/vscode');
const providers = {}, listeners = {}, messages = [];
let published = new Map(), wake = () => {};

class Place { constructor(...parts) { [this.a, this.b, this.c, this.d] = parts; } }
class Diagnostic { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } }
const registered = (name) => (...args) => { providers[name] = args[1]; return { dispose() {} }; };
const listener = (name) => (fn) => { listeners[name] = fn; return { dispose() {} }; };
const settings = { path: program, arguments: ['--limit-seconds', '300'], profile: '', compileCommand: '' };
const text = 'declare "int n;"\nacc "update self(m)"\ncase("one", function() end)\n';
const uri = { scheme: 'file', toString: () => 'file:///nowhere/x.lua' };
const document = { uri, languageId: 'lua', version: 1, getText: () => document.text, text };

const vscode = {
  Range: Place, Location: Place, Diagnostic, DiagnosticRelatedInformation: Place, MarkdownString: Place, Hover: Place,
  CompletionItem: Place, DocumentSymbol: Place,
  Uri: { parse: (value) => ({ toString: () => value }) },
  languages: {
    createDiagnosticCollection: () => ({
      set: (key, list) => { published.set(key.toString(), list); wake(); }, clear: () => published.clear(),
      dispose() {} }),
    registerHoverProvider: registered('hover'), registerDefinitionProvider: registered('definition'),
    registerDocumentSymbolProvider: registered('symbols'), registerCompletionItemProvider: registered('completion'),
  },
  window: {
    createOutputChannel: () => ({ appendLine: (line) => messages.push(line), dispose() {} }),
    showErrorMessage: (line) => messages.push(line), showWarningMessage: (line) => messages.push(line),
  },
  workspace: {
    textDocuments: [document], workspaceFolders: undefined,
    getConfiguration: () => ({ get: (name) => settings[name] }),
    onDidOpenTextDocument: listener('open'), onDidChangeTextDocument: listener('change'),
    onDidSaveTextDocument: listener('save'), onDidCloseTextDocument: listener('close'),
    onDidChangeConfiguration: listener('configuration'),
  },
};

const load = Module._load;
Module._load = (name, ...rest) => name === 'vscode' ? vscode : load(name, ...rest);
const extension = require(path.join(folder, 'extension.js'));

// Returns the next diagnostics of the document for which holds(list) is true.
const next = (holds) => new Promise((resolve) => {
  wake = () => { const list = published.get(uri.toString()); if (list && holds(list)) resolve(list); };
  wake();
});

async function main() {
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  assert.deepStrictEqual(manifest.contributes.grammars[0].injectTo, ['source.lua']);
  const grammar = JSON.parse(fs.readFileSync(path.join(folder, manifest.contributes.grammars[0].path), 'utf8'));
  assert.match(grammar.injectionSelector, /^L:source\.lua /);
  assert.ok(fs.existsSync(path.join(folder, manifest.main)));

  await extension.activate({ subscriptions: [] });
  const [found] = await next((list) => list.length === 1);
  assert.deepStrictEqual([found.range.a, found.range.b, found.range.c, found.range.d, found.severity],
    [1, 17, 1, 18, 0]);
  assert.strictEqual(found.code.value, 'unknown-name');
  assert.ok(found.code.target.toString().startsWith('file://'));
  document.text = text.replace('(m)', '(n)').replace('update self', 'enter data copyin');
  document.version = 2;
  listeners.change({ document });
  await next((list) => list.length === 0);
  const word = await providers.hover.provideHover(document, { line: 1, character: 18 });
  assert.ok(word.a.a.includes('copyin  a clause of OpenACC'), word.a.a);
  const directive = await providers.hover.provideHover(document, { line: 1, character: 23 });
  assert.ok(directive.a.a.includes('h2d     n (4)'), directive.a.a);
  const items = await providers.completion.provideCompletionItems(document, { line: 1, character: 5 });
  const item = items.find((entry) => entry.a === 'enter data');
  assert.strictEqual(item.b, 13); // CompletionItemKind.Keyword
  const resolved = await providers.completion.resolveCompletionItem(item);
  assert.ok(resolved.documentation.a.includes('Maps data'));
  const symbols = await providers.symbols.provideDocumentSymbols(document);
  assert.strictEqual(symbols[0].a, 'one');
  listeners.configuration({ affectsConfiguration: () => true });
  listeners.save(document);
  listeners.close(document);
  await extension.deactivate();
  assert.deepStrictEqual(messages, []);

  settings.path = '/nowhere/accdeep';
  await extension.activate({ subscriptions: [] });
  await extension.deactivate();
  assert.match(messages.join(' '), /accdeep is not found/);
}

main().then(() => process.exit(0), (error) => { console.error(error); process.exit(1); });
setTimeout(() => { console.error('no end within a minute'); process.exit(1); }, 60000).unref();
