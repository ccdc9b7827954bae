import {
  Event,
  RTCDtlsFingerprint,
  RTCDtlsParameters,
  RTCDtlsTransport,
  type RTCIceTransport,
  type RtpHeader,
  type RtpPacket
} from "werift"

/** The order in which this side wants a cipher: one pass over a packet before two. */
const Profiles = {
  aeadAes128Gcm: 7,
  aes128CmHmacSha1_80: 1
} as const

/** DTLS and SRTP of one participant: the client begins, and proves the certificate that its offer names. */
export class Transport {
  readonly #dtls: RTCDtlsTransport
  readonly #came = new Event<[Buffer]>()

  /**
   * @param send sends a packet to the client
   * @param took gets each RTP packet of the client
   */
  constructor(send: (data: Buffer) => void, took: (packet: RtpPacket) => void) {
    const connection = {
      onData: this.#came,
      send: (data: Buffer) => {
        send(data)
        return Promise.resolve()
      },
      close: () => Promise.resolve()
    }
    // DTLS needs no more of ICE than this; ICE itself is `LiteIce`.
    const ice = { connection, role: "controlled" } as unknown as RTCIceTransport
    this.#dtls = new RTCDtlsTransport({}, ice, RTCDtlsTransport.localCertificate, [
      Profiles.aeadAes128Gcm,
      Profiles.aes128CmHmacSha1_80
    ])
    this.#dtls.role = "server"
    this.#dtls.onRtp.subscribe(took)
  }

  /** Rejects when the client does not prove its certificate. Packets may come from here on. */
  async start(fingerprints: ReadonlyArray<RTCDtlsFingerprint>): Promise<void> {
    this.#dtls.setRemoteParams(new RTCDtlsParameters([...fingerprints], "client"))
    await this.#dtls.start()
  }

  received(data: Buffer): void {
    this.#came.execute(data)
  }

  /** Whether packets can be sent. */
  get isUp(): boolean {
    return this.#dtls.state === "connected" && this.#dtls.srtpStarted
  }

  send(payload: Buffer, header: RtpHeader): void {
    void this.#dtls.sendRtp(payload, header)
  }

  end(): void {
    this.#came.complete()
    this.#dtls.onRtp.complete()
  }
}

/** The fingerprint of this process's certificate, which is made at the first call. */
export const ownFingerprint = async (): Promise<RTCDtlsFingerprint> => {
  const certificate = await RTCDtlsTransport.SetupCertificate()
  const [fingerprint] = certificate.getFingerprints()
  return fingerprint ?? new RTCDtlsFingerprint("sha-256", "")
}
