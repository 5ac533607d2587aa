/** Responses of a call that came, or are waited for. */
import type { TestMessage } from './interop-protocol.js';

export class ResponseQueue {
  private readonly arrived: TestMessage[] = [];
  private readonly waiting: ((message: TestMessage | null) => void)[] = [];
  private isOver = false;

  push(message: TestMessage): void {
    const waiter = this.waiting.shift();
    if (waiter === undefined) this.arrived.push(message);
    else waiter(message);
  }

  /** No more comes. */
  end(): void {
    this.isOver = true;
    for (const waiter of this.waiting.splice(0)) waiter(null);
  }

  next(): Promise<TestMessage | null> {
    const message = this.arrived.shift();
    if (message !== undefined) return Promise.resolve(message);
    if (this.isOver) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }
}
