import { appendFileSync } from 'node:fs';
import { defineAgent, defineTool, type Model } from '@forge/core';
import { calls, says } from '@forge/core/testing';
import * as z from 'zod';

/** An assistant that pays invoices, and may pay nothing without a yes. */
export function invoiceAgent(payments: string) {
  const findInvoice = defineTool({
    name: 'find_invoice',
    description: 'Find an open invoice',
    input: z.object({ from: z.string() }),
    idempotent: true,
    run: ({ from }) => ({ from, number: 'A-17', amount: 480 }),
  });
  const pay = defineTool({
    name: 'pay',
    description: 'Pay an invoice',
    input: z.object({ number: z.string(), amount: z.number().positive() }),
    approval: true,
    run: ({ number, amount }, { idempotencyKey }) => {
      appendFileSync(payments, `${number} ${amount} ${idempotencyKey}\n`);
      return `${amount} paid on ${number}`;
    },
  });
  return defineAgent({
    name: 'invoices',
    instructions: 'Pay the invoices you are told to.',
    tools: [findInvoice, pay],
  });
}

/** Stands in for a model: what it says follows from what it is sent. */
export const bookkeeper: Model = {
  id: 'bookkeeper',
  complete: async ({ messages }) => {
    const results = messages.filter(({ role }) => role === 'tool').length;
    if (results === 0) return calls(['find_invoice', { from: 'the print shop' }]);
    if (results === 1) return calls(['pay', { number: 'A-17', amount: 480 }]);
    return says('The invoice of the print shop is paid.');
  },
};
