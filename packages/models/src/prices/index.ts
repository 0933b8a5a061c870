export { listedContextWindow, type Price, type PricedCall, priceOf } from './price-of.ts';
