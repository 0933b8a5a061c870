/** The name of this wire, and the mark on opaque parts that came on it. */
export const wireName = 'anthropic-messages';
