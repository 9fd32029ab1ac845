"""What a finding reports: blocks of words, numbers and figures as data, which know nothing of pages, terminals or plots."""
