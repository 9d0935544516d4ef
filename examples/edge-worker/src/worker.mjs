// Passes requests on to UPSTREAM with their bodies protected.

import { protectFetch, TextveilError } from "textveil";

export default {
  async fetch(request, { UPSTREAM }) {
    const { pathname, search } = new URL(request.url);
    // put together by hand: as a relative address, a path such as //host/ would name another host
    const target = new URL(UPSTREAM);
    Object.assign(target, { pathname, search });
    const send = protectFetch(); // here, since the runtime lets nobody make a random key while it loads a worker
    try {
      return await send(new Request(target, request));
    } catch (error) {
      // of a type that cannot be inspected, or rejected by a policy: an unprotected body does not pass
      if (error instanceof TextveilError) return new Response(`${error.message}\n`, { status: 415 });
      throw error;
    }
  },
};
