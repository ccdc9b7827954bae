import { type MediaListener, MediaRefusal, type VoiceMedia } from "../media/VoiceMedia.ts"
import type { MediaOrder, MediaSettings, MediaWord } from "./MediaMessages.ts"

/** The other end: the service. */
interface MediaOwner {
  say(word: MediaWord): void
  /** Gets an error that nobody foresaw, for the operator. */
  note(error: unknown): void
  /** Nothing can go on: the service starts another process. */
  end(why: string): void
}

/** Makes the media by the first order. */
type OpenMedia = (settings: MediaSettings, listener: MediaListener) => VoiceMedia

/** Carries out the orders of the service. */
export class ServeMedia {
  readonly #owner: MediaOwner
  readonly #open: OpenMedia
  #media: VoiceMedia | null = null

  constructor(owner: MediaOwner, open: OpenMedia) {
    this.#owner = owner
    this.#open = open
  }

  take(order: MediaOrder): void {
    if (order.order === "begin") {
      this.#media = this.#open(order.settings, {
        offered: (participant, offer) => this.#owner.say({ word: "offered", participant, offer }),
        slotsChanged: (participant, speakers) =>
          this.#owner.say({ word: "slots", participant, speakers }),
        lost: (why) => this.#owner.end(why)
      })
      return
    }
    const media = this.#media
    if (media === null) return this.#owner.end("the first order is not the beginning")
    const { participant } = order
    switch (order.order) {
      case "join":
        return void this.#join(media, order)
      case "answer":
        return media.answer(participant, order.answer)
      case "leave":
        return media.leave(participant)
      case "groups":
        return media.setGroups(participant, order.groups)
    }
  }

  /** Answers each join: the service ends a process that does not, and all calls with it. */
  async #join(
    media: VoiceMedia,
    { participant, call, offer, groups }: Extract<MediaOrder, { readonly order: "join" }>
  ): Promise<void> {
    try {
      const answer = await media.join(participant, { call, offer, groups })
      this.#owner.say({ word: "joined", participant, answer })
    } catch (error) {
      const { code, message } = this.#refusalBy(error)
      media.leave(participant)
      this.#owner.say({ word: "refused", participant, code, message })
    }
  }

  #refusalBy(error: unknown): MediaRefusal {
    if (error instanceof MediaRefusal) return error
    this.#owner.note(error)
    return new MediaRefusal("E_BAD_MESSAGE", "voice: the offer cannot be answered")
  }
}
