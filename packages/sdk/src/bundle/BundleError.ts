/** Room code that cannot be bundled. Nothing was made. */
export class BundleError extends Error {
  override readonly name = "BundleError"
  /** `E_ROOM_IMPORT`: a Node module is imported. `E_BUNDLE_INVALID`: it does not compile. */
  readonly code: "E_ROOM_IMPORT" | "E_BUNDLE_INVALID" | "E_BUNDLE_TOO_LARGE"
  /** Each `file:line:col text`, relative to the project; only a text where no line is at fault. */
  readonly messages: ReadonlyArray<string>

  constructor(code: BundleError["code"], messages: ReadonlyArray<string>) {
    super(messages.join("\n"))
    this.code = code
    this.messages = messages
  }
}
