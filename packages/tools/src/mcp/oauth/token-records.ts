import * as z from 'zod';

const tokensSchema = z.looseObject({
  access_token: z.string(),
  token_type: z.string(),
  expires_in: z.number().optional(),
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
  issuer: z.string().optional(),
});

const clientSchema = z.looseObject({
  client_id: z.string(),
  client_secret: z.string().optional(),
  issuer: z.string().optional(),
});

const accountSchema = z.object({
  /** The server these belong to. Under another address they are not used. */
  url: z.string(),
  /** How we are registered with the authorization server. Kept over logins. */
  client: clientSchema.optional(),
  /** Where a login comes back to, which is part of the registration. */
  redirectUrl: z.string().optional(),
  /** Who gave the tokens. A client secret goes to nobody else. */
  issuer: z.string().optional(),
  tokens: tokensSchema.optional(),
  expiresAt: z.number().optional(),
});
export type OAuthAccount = z.infer<typeof accountSchema>;

/** Logins by server. */
export const tokenRecordsSchema = z.object({
  v: z.literal(1),
  servers: z.record(z.string(), accountSchema),
});
export type TokenRecords = z.infer<typeof tokenRecordsSchema>;

export const noTokens: TokenRecords = { v: 1, servers: {} };
