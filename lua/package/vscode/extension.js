// extension.js - the client of `accdeep lsp` for VS Code. It needs no other package: the server's process, messages of
// JSON-RPC, and the providers that answer VS Code by requests to the server.
'use strict';

const vscode = require('vscode');
const { spawn } = require('child_process');

// Documents of these languages are sent to the server, which decides whether it checks them.
const LANGUAGES = ['lua', 'c', 'cpp', 'cuda-cpp', 'fortran', 'FortranFreeForm', 'FortranFixedForm',
  'fortran_fixed-form', 'fortran-modern'];
const SELECTOR = LANGUAGES.map((language) => ({ language }));

const RESTARTS = 3; // the server is started again so often after it has ended unexpectedly
const CANCELLED = -32800;

// A process of the server, and the requests that wait for answers.
class Connection {
  // `onNotification(method, params)`, `onEnd(message)`: called for notifications, and when the process has ended.
  constructor(command, args, folder, onNotification, onEnd) {
    this.pending = new Map();
    this.nextId = 1;
    this.received = Buffer.alloc(0);
    this.onNotification = onNotification;
    this.isClosed = false;
    this.process = spawn(command, args, { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
    this.process.stdout.on('data', (bytes) => this.read(bytes));
    this.process.stdin.on('error', () => {});
    const end = (message) => {
      if (this.isClosed) return;
      this.isClosed = true;
      for (const { reject } of this.pending.values()) reject(new Error(message));
      this.pending.clear();
      onEnd(message);
    };
    this.process.on('error', (error) => end(error.message));
    this.process.on('exit', (code, signal) => end(`the server ended with ${signal || `status ${code}`}`));
  }

  send(message) {
    if (this.isClosed) return;
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }), 'utf8');
    this.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.process.stdin.write(body);
  }

  notify(method, params) { this.send({ method, params }); }

  // Returns the result of a request. Rejects if the server refuses it; a cancelled request gives null.
  request(method, params, token) {
    if (this.isClosed) return Promise.reject(new Error('the server has ended'));
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      if (token) token.onCancellationRequested(() => this.notify('$/cancelRequest', { id }));
      this.send({ id, method, params });
    });
  }

  // Adds bytes of the server, and handles the messages that are complete.
  read(bytes) {
    this.received = Buffer.concat([this.received, bytes]);
    for (;;) {
      const end = this.received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = /content-length: *(\d+)/i.exec(this.received.toString('latin1', 0, end));
      const from = end + 4;
      if (!length || this.received.length < from + Number(length[1])) return;
      const body = this.received.toString('utf8', from, from + Number(length[1]));
      this.received = this.received.subarray(from + Number(length[1]));
      this.handle(JSON.parse(body));
    }
  }

  handle(message) {
    if (message.method !== undefined) return this.onNotification(message.method, message.params);
    const waiting = this.pending.get(message.id);
    if (!waiting) return;
    this.pending.delete(message.id);
    if (!message.error) waiting.resolve(message.result);
    else if (message.error.code === CANCELLED) waiting.resolve(null);
    else waiting.reject(new Error(message.error.message));
  }

  // Ends the server in the right order.
  async close() {
    if (this.isClosed) return;
    try { await this.request('shutdown'); } catch { /* it has ended */ }
    this.notify('exit');
    this.isClosed = true;
    this.process.stdin.end();
  }
}

const toRange = (range) => new vscode.Range(range.start.line, range.start.character, range.end.line,
  range.end.character);
const toLocation = (location) => new vscode.Location(vscode.Uri.parse(location.uri), toRange(location.range));

// Returns a diagnostic of VS Code. Both count severities in the same order, from 1 and from 0 on.
function toDiagnostic(diagnostic) {
  const result = new vscode.Diagnostic(toRange(diagnostic.range), diagnostic.message, diagnostic.severity - 1);
  result.source = diagnostic.source;
  const href = diagnostic.codeDescription && diagnostic.codeDescription.href;
  result.code = href ? { value: diagnostic.code, target: vscode.Uri.parse(href) } : diagnostic.code;
  result.relatedInformation = (diagnostic.relatedInformation || []).map((information) =>
    new vscode.DiagnosticRelatedInformation(toLocation(information.location), information.message));
  return result;
}

// Returns a text of the server, {kind, value}, for VS Code.
const toMarkdown = (content) => content.kind === 'markdown' ? new vscode.MarkdownString(content.value) : content.value;

const settingsOf = () => {
  const settings = vscode.workspace.getConfiguration('accdeep');
  return { profile: settings.get('profile') || '', compileCommand: settings.get('compileCommand') || '' };
};

class Client {
  constructor(log) {
    this.log = log;
    this.diagnostics = vscode.languages.createDiagnosticCollection('accdeep');
    this.restarts = 0;
  }

  async start() {
    const settings = vscode.workspace.getConfiguration('accdeep');
    const folder = (vscode.workspace.workspaceFolders || [])[0];
    const command = settings.get('path') || 'accdeep';
    const connection = new Connection(command, ['lsp', ...(settings.get('arguments') || [])],
      folder && folder.uri.scheme === 'file' ? folder.uri.fsPath : undefined,
      (method, params) => this.onNotification(method, params), (message) => this.onEnd(connection, message));
    this.connection = connection;
    const ready = connection.request('initialize', {
      processId: process.pid, rootUri: folder ? folder.uri.toString() : null, initializationOptions: settingsOf(),
      capabilities: { general: { positionEncodings: ['utf-16'] }, textDocument: { hover: { contentFormat: ['markdown'] },
        publishDiagnostics: { relatedInformation: true, codeDescriptionSupport: true } } },
    });
    try { await ready; } catch { return; } // onEnd has reported it
    connection.notify('initialized', {});
    for (const document of vscode.workspace.textDocuments) this.open(document);
  }

  onNotification(method, params) {
    if (method === 'textDocument/publishDiagnostics') {
      this.diagnostics.set(vscode.Uri.parse(params.uri), params.diagnostics.map(toDiagnostic));
    } else if (method === 'window/showMessage') {
      vscode.window.showWarningMessage(params.message);
    } else if (method === 'window/logMessage') {
      this.log.appendLine(params.message);
    }
  }

  onEnd(connection, message) {
    if (connection !== this.connection) return;
    this.diagnostics.clear();
    this.log.appendLine(message);
    if (/ENOENT/.test(message)) {
      vscode.window.showErrorMessage('accdeep is not found: install it, or set accdeep.path to the program');
    } else if (this.restarts++ < RESTARTS) {
      this.start();
    } else {
      vscode.window.showErrorMessage(`accdeep: ${message}`);
    }
  }

  handles(document) { return LANGUAGES.includes(document.languageId) && document.uri.scheme !== 'git'; }

  open(document) {
    if (!this.handles(document)) return;
    this.connection.notify('textDocument/didOpen', { textDocument: { uri: document.uri.toString(),
      languageId: document.languageId, version: document.version, text: document.getText() } });
  }

  changed({ document }) {
    if (!this.handles(document)) return;
    this.connection.notify('textDocument/didChange', {
      textDocument: { uri: document.uri.toString(), version: document.version },
      contentChanges: [{ text: document.getText() }] });
  }

  saved(document) {
    if (this.handles(document)) {
      this.connection.notify('textDocument/didSave', { textDocument: { uri: document.uri.toString() } });
    }
  }

  closed(document) {
    if (this.handles(document)) {
      this.connection.notify('textDocument/didClose', { textDocument: { uri: document.uri.toString() } });
    }
  }

  // Returns the result of a request about a place; null if it fails.
  async ask(method, document, position, token) {
    const params = { textDocument: { uri: document.uri.toString() } };
    if (position) params.position = { line: position.line, character: position.character };
    try {
      return await this.connection.request(`textDocument/${method}`, params, token);
    } catch (error) {
      this.log.appendLine(`${method}: ${error.message}`);
      return null;
    }
  }

  async provideHover(document, position, token) {
    const hover = await this.ask('hover', document, position, token);
    return hover && new vscode.Hover(toMarkdown(hover.contents), hover.range && toRange(hover.range));
  }

  async provideDefinition(document, position, token) {
    const location = await this.ask('definition', document, position, token);
    return location && toLocation(location);
  }

  async provideDocumentSymbols(document, token) {
    const symbols = await this.ask('documentSymbol', document, null, token);
    return (symbols || []).map((symbol) => new vscode.DocumentSymbol(symbol.name, '', symbol.kind - 1,
      toRange(symbol.range), toRange(symbol.selectionRange)));
  }

  async provideCompletionItems(document, position, token) {
    const list = await this.ask('completion', document, position, token);
    return ((list && list.items) || []).map((item) => {
      const result = new vscode.CompletionItem(item.label, item.kind - 1);
      result.detail = item.detail;
      result.item = item;
      return result;
    });
  }

  async resolveCompletionItem(result, token) {
    try {
      const item = await this.connection.request('completionItem/resolve', result.item, token);
      if (item && item.documentation) result.documentation = toMarkdown(item.documentation);
    } catch { /* without documentation */ }
    return result;
  }

  stop() {
    const connection = this.connection;
    this.connection = undefined;
    this.diagnostics.dispose();
    return connection && connection.close();
  }
}

let client;

exports.activate = async (context) => {
  const log = vscode.window.createOutputChannel('accdeep');
  client = new Client(log);
  const { languages, workspace } = vscode;
  context.subscriptions.push(log,
    languages.registerHoverProvider(SELECTOR, client),
    languages.registerDefinitionProvider(SELECTOR, client),
    languages.registerDocumentSymbolProvider(SELECTOR, client),
    languages.registerCompletionItemProvider(SELECTOR, client, ' ', '(', '.', '"'));
  await client.start();
  context.subscriptions.push(
    workspace.onDidOpenTextDocument((document) => client.open(document)),
    workspace.onDidChangeTextDocument((event) => client.changed(event)),
    workspace.onDidSaveTextDocument((document) => client.saved(document)),
    workspace.onDidCloseTextDocument((document) => client.closed(document)),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('accdeep')) {
        client.connection.notify('workspace/didChangeConfiguration', { settings: { accdeep: settingsOf() } });
      }
    }));
};

exports.deactivate = () => client && client.stop();
