import { generateKeyPairSync, type KeyObject } from "node:crypto"
import type { ServerResponse } from "node:http"
import { createServer } from "node:https"

import { SignJWT } from "jose"

/** A certificate for `localhost` and the loopback addresses that signs itself. It is worth nothing anywhere else. */
export const stubCertificate = `-----BEGIN CERTIFICATE-----
MIIBvjCCAWSgAwIBAgIUJ9ApfU3Mx03bH1Vrl9RlCb+oweAwCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLQXRyaXVtIHRlc3QwIBcNMjYxMTIzMjMyOTM0WhgPMjEyNjEw
MzAyMzI5MzRaMBYxFDASBgNVBAMMC0F0cml1bSB0ZXN0MFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAElk+iqozL+aJWBL3s/aglpfvl2wl+vqjwrE6vYwcwt7ZVVZjZ
d169jnnB3cVv/1LemZ/GoQTlTTQR76pmKFGfPKOBjTCBijAdBgNVHQ4EFgQUD+Dn
o8PTJ5KQ22v/OzxE+DFSDZIwHwYDVR0jBBgwFoAUD+Dno8PTJ5KQ22v/OzxE+DFS
DZIwDwYDVR0TAQH/BAUwAwEB/zA3BgNVHREEMDAugglsb2NhbGhvc3SCCWp3a3Mu
dGVzdIcEfwAAAYcQAAAAAAAAAAAAAAAAAAAAATAKBggqhkjOPQQDAgNIADBFAiEA
wiRUhh5hKUwzk5mHfX6AJDp33C8KXeDtWeEOWcRzdKICIGCzX9+whVDb8zXxDVDq
sRvPBBW2SPEDGSPPFMS6GDBD
-----END CERTIFICATE-----`

const stubCertificateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg1+4QkWF4pC4n+c25
6xlIb5TI4xCh6dOeKib1EjqfvxihRANCAASWT6KqjMv5olYEvez9qCWl++XbCX6+
qPCsTq9jBzC3tlVVmNl3Xr2OecHdxW//Ut6Zn8ahBOVNNBHvqmYoUZ88
-----END PRIVATE KEY-----`

/** What a test lets a provider sign. */
export interface StubClaims {
  readonly iss: string
  readonly aud: string | Array<string>
  readonly sub: string
  readonly exp?: number
  readonly [claim: string]: unknown
}

/** An identity provider on this machine, with one RSA key and one of the curve P-256. */
export interface JwksStub {
  readonly jwksUrl: string
  /** How often its keys were read. */
  readonly reads: () => number
  /** Another answer than its keys; `null` = its keys. */
  answer(by: ((response: ServerResponse) => void) | null): void
  sign(alg: "RS256" | "ES256", claims: StubClaims, kid?: string): Promise<string>
  /** The public RSA key as text, as somebody would misuse it for HS256. */
  readonly publicPem: string
  close(): Promise<void>
}

const jwkOf = (key: KeyObject, kid: string): object => ({
  ...key.export({ format: "jwk" }),
  kid,
  use: "sig"
})

export const startJwksStub = async (): Promise<JwksStub> => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const keys = { keys: [jwkOf(rsa.publicKey, "rsa-1"), jwkOf(ec.publicKey, "ec-1")] }
  const state = { reads: 0, answer: null as ((response: ServerResponse) => void) | null }
  const server = createServer({ cert: stubCertificate, key: stubCertificateKey }, (_, response) => {
    state.reads += 1
    if (state.answer !== null) return state.answer(response)
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify(keys))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the stub has no port")
  return {
    jwksUrl: `https://127.0.0.1:${address.port}/keys`,
    reads: () => state.reads,
    answer: (by) => {
      state.answer = by
    },
    sign: (alg, { exp = 4_102_444_800, ...claims }, kid = alg === "RS256" ? "rsa-1" : "ec-1") =>
      new SignJWT({ ...claims, exp })
        .setProtectedHeader({ alg, kid })
        .sign(alg === "RS256" ? rsa.privateKey : ec.privateKey),
    publicPem: String(rsa.publicKey.export({ format: "pem", type: "spki" })),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
