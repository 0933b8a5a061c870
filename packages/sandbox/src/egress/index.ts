export { connectChecked, EgressRefused, type Resolve } from './connect-checked.ts';
export { findRule, type HostRule, parseHostRule, plainHost } from './host-rules.ts';
export { type Egress, type OpenEgressOptions, openEgress, proxyVariables } from './open-egress.ts';
export { isPublicAddress } from './public-address.ts';
export {
  type EgressProxy,
  type EgressProxyOptions,
  startEgressProxy,
} from './start-egress-proxy.ts';
