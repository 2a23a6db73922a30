package fault

import "slices"

func (p *parser) effect(r *Rule) Effect {
	t := p.next()
	words := effectWords()
	i := slices.IndexFunc(words, func(w effectWord) bool { return string(w.kind) == t.text })
	if t.kind != word || i < 0 {
		var kinds []Kind
		for _, w := range words {
			if w.scope.has(r.Service) {
				kinds = append(kinds, w.kind)
			}
		}
		p.fail(t, "expected an effect (%s), found %v%s", list(kinds), t, suggest(t.text, kinds))
		return Effect{}
	}
	e := Effect{Kind: words[i].kind}
	switch e.Kind {
	case ErrorBefore, ErrorAfter, Throttle:
		e.Form = p.form(r, words[i])
	case Timeout:
		e.Wait = p.duration(t, 1)
		if lands := p.tokens[0]; lands.kind == word && lands.text == "lands" {
			p.next()
			e.Lands, e.LandsAfter = true, p.duration(lands, 0)
		}
	case Delay:
		e.Wait = p.duration(t, 1)
	case Unprocessed:
		e.Count = p.count(t)
	case Cut:
		if p.tokens[0].kind != end {
			e.Count = p.count(t)
		}
	case None, Conflict, CrashBefore, CrashAfter:
	}
	return e
}

func (p *parser) form(r *Rule, w effectWord) Form {
	if p.tokens[0].kind == end {
		return ""
	}
	t := p.next()
	var forms []Form
	for _, f := range w.forms {
		if f.scope.has(r.Service) {
			forms = append(forms, f.form)
		}
	}
	if t.kind == word && slices.Contains(forms, Form(t.text)) {
		return Form(t.text)
	}
	switch elsewhere := slices.ContainsFunc(w.forms, func(f formWord) bool { return string(f.form) == t.text }); {
	case len(forms) == 0:
		p.fail(t, "%s of %s has no forms, found %v", w.kind, r.Service, t)
	case elsewhere:
		p.fail(t, "%s of %s has no form %v; it is %s", w.kind, r.Service, t, list(forms))
	default:
		p.fail(t, "expected a form of %s (%s), found %v%s", w.kind, list(forms), t, suggest(t.text, forms))
	}
	return ""
}

// fits refuses an effect that the rule's service or operation cannot have.
func (p *parser) fits(r Rule, at token) {
	sc := scopeOf(r.Effect)
	switch {
	case p.err != nil || sc.covers(r.Service, r.Operation):
	case !sc.has(r.Service) && r.Service == Any:
		p.fail(at, "%s is not something that any service does; name the service", r.Effect)
	case !sc.has(r.Service):
		p.fail(at, "%s has no %s", r.Service, r.Effect)
	default:
		p.fail(at, "%s of %s has no %s; %s can", r.Operation, r.Service, r.Effect, list(sc[r.Service]))
	}
}
