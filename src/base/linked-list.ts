/** HOT. Items in order, of which any may leave at once: for that `push` hands out the node that holds the item. */
export class ListNode<T> {
  readonly item: T;
  previous: ListNode<T> | null = null;
  next: ListNode<T> | null = null;

  constructor(item: T) {
    this.item = item;
  }
}

export class LinkedList<T> {
  private oldest: ListNode<T> | null = null;
  private newest: ListNode<T> | null = null;
  private count = 0;

  get length(): number {
    return this.count;
  }

  /** The oldest node; the others follow as `next`. */
  get first(): ListNode<T> | null {
    return this.oldest;
  }

  /** Appends at the end. */
  push(item: T): ListNode<T> {
    const node = new ListNode(item);
    node.previous = this.newest;
    if (this.newest === null) this.oldest = node;
    else this.newest.next = node;
    this.newest = node;
    this.count++;
    return node;
  }

  /** @order once, and only a node of this list. */
  remove(node: ListNode<T>): void {
    if (node.previous === null) this.oldest = node.next;
    else node.previous.next = node.next;
    if (node.next === null) this.newest = node.previous;
    else node.next.previous = node.previous;
    node.previous = null;
    node.next = null;
    this.count--;
  }
}
