import type { Answers } from "./Listener.ts"

/**
 * A control plane of the check's own, for a listener: who asks for a login gets this one. What else
 * comes is answered by `answer`. Source: D-23.
 */
export const controlPlane =
  (token: string, answer: Answers): Answers =>
  (request) => {
    const route = `${request.method} ${request.path}`
    if (route === "POST /v1/login/device") {
      const codes = { deviceCode: "dc_conformance", userCode: "AAAA-AAAA" }
      const verificationUri = "http://127.0.0.1/login"
      return { status: 201, body: { ...codes, verificationUri, expiresIn: 600, interval: 1 } }
    }
    if (route === "POST /v1/login/token") {
      const ids = { tokenId: "t", accountId: "a", name: "conformance" }
      return { status: 201, body: { token, ...ids, expiresAt: null } }
    }
    return answer(request)
  }
