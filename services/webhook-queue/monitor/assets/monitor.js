(() => {
  'use strict';
  const RETRY_MS = 5000;
  const { live, refresh } = document.body.dataset;
  const sign = document.getElementById('liveness');
  const waiting = new Map();

  const say = (state, text) => {
    if (!sign) return;
    sign.hidden = false;
    sign.dataset.state = state;
    if (sign.textContent !== text) sign.textContent = text;
  };

  // Returns true if the element has the focus or a selection. Such an element is replaced only after it has lost both.
  const isHeld = (element) => {
    const selection = getSelection();
    return (
      element.contains(document.activeElement) ||
      (selection && !selection.isCollapsed && selection.containsNode(element, true))
    );
  };

  const replace = (element, fresh) => {
    for (const { id, open } of element.querySelectorAll('details[id]')) {
      const again = fresh.querySelector('#' + CSS.escape(id));
      if (again) again.open = open;
    }
    offerCopying(fresh);
    if (element.outerHTML === fresh.outerHTML) return;
    const scrolled = [...element.querySelectorAll('.scroll')].map((box) => box.scrollLeft);
    element.replaceWith(fresh);
    fresh.querySelectorAll('.scroll').forEach((box, index) => {
      box.scrollLeft = scrolled[index] || 0;
    });
  };

  const put = (id, fresh) => {
    const element = document.getElementById(id);
    if (!element || !fresh) return;
    if (isHeld(element)) waiting.set(id, fresh);
    else {
      waiting.delete(id);
      replace(element, fresh);
    }
  };

  const putWaiting = () => {
    for (const [id, fresh] of [...waiting]) put(id, fresh);
  };
  document.addEventListener('focusout', () => setTimeout(putWaiting));
  document.addEventListener('selectionchange', () => {
    if (getSelection().isCollapsed) putWaiting();
  });

  const parse = (text) => new DOMParser().parseFromString(text, 'text/html');

  // Stops updates while the page is hidden.
  const followVisibility = (start, stop) => {
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) {
        stop();
        say('paused', 'Paused');
      } else start();
    });
  };

  // Updates the overview: the server sends the fragments that changed.
  const streamFragments = () => {
    let source;
    let timer;
    const open = () => {
      clearTimeout(timer);
      if (source || document.hidden) return;
      source = new EventSource(live);
      source.onopen = () => say('live', 'Live');
      source.onerror = () => {
        say('lost', 'Not live');
        // The browser reconnects by itself, except after a refusal.
        if (source && source.readyState === EventSource.CLOSED) {
          close();
          timer = setTimeout(open, RETRY_MS);
        }
      };
      source.addEventListener('fragment', (event) => {
        const { id, html } = JSON.parse(event.data);
        put(id, parse(html).body.firstElementChild);
      });
    };
    const close = () => {
      if (source) source.close();
      source = undefined;
    };
    followVisibility(open, close);
    addEventListener('pagehide', close);
    addEventListener('pageshow', open);
    open();
  };

  // Updates pages without live updates: fetches the page again, and replaces the parts that are marked as fresh.
  const refreshPage = () => {
    let timer;
    let busy = false;
    const again = () => {
      clearTimeout(timer);
      if (!document.hidden) timer = setTimeout(ask, refresh * 1000);
    };
    const ask = async () => {
      if (busy || document.hidden) return;
      busy = true;
      try {
        const response = await fetch(location.href, { headers: { accept: 'text/html' } });
        if (response.redirected) {
          say('lost', 'Signed out');
          return;
        }
        if (!response.ok) throw new Error(String(response.status));
        const fresh = parse(await response.text());
        for (const element of document.querySelectorAll('[data-fresh][id]'))
          put(element.id, fresh.getElementById(element.id));
        say('live', 'Live');
      } catch {
        say('lost', 'Not live');
      } finally {
        busy = false;
      }
      again();
    };
    followVisibility(ask, () => clearTimeout(timer));
    say('live', 'Live');
    again();
  };

  const offerCopying = (within) => {
    if (!navigator.clipboard) return;
    for (const button of within.querySelectorAll('button[data-copy]')) button.hidden = false;
  };
  document.addEventListener('click', async (event) => {
    const button = event.target instanceof Element && event.target.closest('button[data-copy]');
    const source = button && document.getElementById(button.dataset.copy);
    if (!source) return;
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(source);
      button.textContent = 'Press Ctrl+C';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });

  offerCopying(document);
  if (live) streamFragments();
  else if (refresh) refreshPage();
})();
