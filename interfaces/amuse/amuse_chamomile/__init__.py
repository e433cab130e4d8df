from .interface import Chamomile, ChamomileInterface
