/** As much of a browser's document as the page uses. Markup has no way in: there is no innerHTML. */
export class FakeNode {
  readonly tag: string;
  readonly style: Record<string, string> = {};
  readonly attributes: Record<string, string> = {};
  readonly listeners: Record<string, (event: unknown) => void> = {};
  children: (FakeNode | string)[] = [];
  className = '';
  hidden = false;
  title = '';
  value = '';
  type = '';

  constructor(tag: string) {
    this.tag = tag;
  }

  append(...nodes: (FakeNode | string)[]): void {
    this.children.push(...nodes);
  }

  replaceChildren(...nodes: (FakeNode | string)[]): void {
    this.children = nodes;
  }

  setAttribute(name: string, value: string): void {
    this.attributes[name] = value;
  }

  addEventListener(name: string, listener: (event: unknown) => void): void {
    this.listeners[name] = listener;
  }

  get textContent(): string {
    return this.children
      .map((child) => (typeof child === 'string' ? child : child.textContent))
      .join('');
  }

  set textContent(text: string) {
    this.children = [text];
  }
}

export class FakeDocument extends FakeNode {
  readonly #byId = new Map<string, FakeNode>();
  visibilityState = 'visible';

  constructor() {
    super('#document');
  }

  createElement(tag: string): FakeNode {
    return new FakeNode(tag);
  }

  getElementById(id: string): FakeNode {
    const node = this.#byId.get(id) ?? new FakeNode(id);
    if (id === 'spark' && node.children.length === 0) {
      node.children = [new FakeNode('path'), new FakeNode('path')];
    }
    this.#byId.set(id, node);
    return node;
  }
}
