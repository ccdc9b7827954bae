/**
 * A call that a client does not get into, or cannot stay in. `E_VOICE_OFF`: the room has no calls, or the client
 * is a viewer. `E_VOICE_FULL`: the call, or the service, has all the participants that it takes. `E_CAP_REACHED`:
 * the project has used up its voice minutes. `E_RATE_LIMITED`, `E_BAD_MESSAGE`. The client's own: `E_MICROPHONE`
 * (the browser gives no microphone) and `E_LEFT` (the room or the call was left).
 */
export class VoiceError extends Error {
  readonly code: string

  constructor(code: string, message: string, cause?: unknown) {
    super(`${code}: ${message}`, { cause })
    this.name = "VoiceError"
    this.code = code
  }
}
